/* SPDX-License-Identifier: Apache-2.0 */
/* choice.c - the device that was chosen for an attachment */
#include "cni/aspect/choice.h"

#include "devinfo/journal/device_ref.h"

#include <ctype.h>
#include <stdio.h>

void choice_set_pci(struct choice *c, const char *bdf)
{
	size_t i;

	c->is_pci = true;
	for (i = 0; i < sizeof(c->key) - 1 && bdf[i]; i++)
		c->key[i] = (char)tolower((unsigned char)bdf[i]);
	c->key[i] = '\0';
}

const char *choice_lock_name(const struct choice *c)
{
	return *c->key ? c->key : device_id_plain(c->id);
}

void choice_add_name(struct choice_names *names, const char *name)
{
	if (*name && names->n < CHOICE_NAMES_MAX)
		(void)snprintf(names->name[names->n++], sizeof(names->name[0]), "%s", name);
}
