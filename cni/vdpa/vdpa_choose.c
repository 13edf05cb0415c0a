/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_choose.c - the vDPA device of an attachment, where no name of this node says which */
#include "cni/vdpa/vdpa.h"

#include "devinfo/journal/device_ref.h"

#include <string.h>

/* One of our own is known by its name, or by the function that it is to be made on. */
static int to_be_created(const struct choosing *ch, struct choice *c, struct err *e)
{
	struct device_ref ref;
	int r = *c->id ? device_ref_find(ch->host, c->id, &ref, e) : 0;

	if (r < 0)
		return -1;
	if (r > 0 && ref.kind == DEVICE_REF_AUXILIARY) {
		memcpy(c->key, ref.name, sizeof(ref.name));
	} else {
		owner_made_name(ch->owner, c->key);
		memcpy(c->part, c->key, sizeof(c->part));
	}
	return 1;
}

/* One that is made on a function takes that; whether there is one is found out by its reader. */
static int on_mgmtdev(const struct choosing *ch, struct choice *c, struct err *e)
{
	const struct vdpa_conf *vdpa = &ch->conf->vdpa;

	if (strcmp(vdpa->mgmt_bus, "pci") == 0)
		choice_set_pci(c, vdpa->mgmt_dev);
	else if (strcmp(vdpa->mgmt_bus, "auxiliary") == 0)
		memcpy(c->key, vdpa->mgmt_dev, sizeof(vdpa->mgmt_dev));
	else
		return to_be_created(ch, c, e);
	return 1;
}

int vdpa_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		char called[64], struct err *e)
{
	const struct vdpa_conf *vdpa = &ch->conf->vdpa;

	if (when == CHOOSE_CONFIGURED)
		return *vdpa->mgmt_dev ? on_mgmtdev(ch, c, e) : 0;
	if (when == CHOOSE_GIVEN || !vdpa->present)
		return 0;
	if (vdpa->create)
		return to_be_created(ch, c, e);
	/* sysfs does not show of a simulator's device, or of VDUSE's, who has made it */
	return vdpa_find_of_mgmtdev(c->id, called, e) < 0 ? -1 : 0;
}
