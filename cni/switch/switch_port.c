/* SPDX-License-Identifier: Apache-2.0 */
/* switch_port.c - what a switch of any kind is told of an attachment */
#include "cni/switch/switch_port.h"

json_t *switch_trunk_ids(const struct idset *trunk)
{
	json_t *ids = json_array();

	for (unsigned int id = 0; trunk && id < IDSET_IDS; id++)
		if (idset_has(trunk, id))
			(void)json_array_append_new(ids, json_integer(id));
	return ids;
}
