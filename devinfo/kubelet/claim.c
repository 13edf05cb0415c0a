/* SPDX-License-Identifier: Apache-2.0 */
/* claim.c - which device is behind a device of a claim? */
#include "devinfo/kubelet/claim.h"

#include "base/name.h"
#include "devinfo/kubelet/cdi.h"
#include "devinfo/kubelet/metadata.h"

#include <stdio.h>
#include <string.h>

/* dra-driver-sriov names its devices dddd-bb-dd-f. */
static int name_find(const struct host *h, const struct claimed_device *c,
		     const struct deadline *d, struct claim_info *ret, struct err *e)
{
	const char *s = c->device;
	size_t domain = strcspn(s, "-");
	char address[24];

	(void)h;
	(void)d;
	(void)e;
	if (domain > 8 || strlen(s) != domain + 8 || s[domain + 3] != '-' || s[domain + 6] != '-')
		return 0;
	(void)snprintf(address, sizeof(address), "%.*s:%.2s:%.2s.%c", (int)domain, s,
		       s + domain + 1, s + domain + 4, s[domain + 7]);
	if (!name_is_bdf(address))
		return 0;
	claim_set_id(ret->id, address);
	return 1;
}

static const struct {
	const char *name;
	int (*find)(const struct host *h, const struct claimed_device *c,
		    const struct deadline *d, struct claim_info *ret, struct err *e);
} sources[] = {
	{ "DRA metadata", metadata_find },
	{ "CDI", cdi_find },
	{ "DRA device name", name_find },
};

int claim_resolve(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e)
{
	struct claim_info info = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(sources) && !*info.id; i++) {
		if (sources[i].find(h, c, d, &info, e) < 0)
			return err_wrap(e, "device '%.64s' of claim %.64s/%.64s", c->device,
					c->name_space, c->claim);
		if (*info.id)
			info.source = sources[i].name;
	}
	if (!*info.id && info.deferred)
		claim_note(info.tried, "%s: driver %.64s has written no attributes of device "
			   "'%.64s' yet", sources[0].name, c->driver, c->device);
	*ret = info;
	return *info.id != '\0';
}
