/* SPDX-License-Identifier: Apache-2.0 */
/* test_vdpa_state.c - a vDPA device in a record: there and back, and what is none of ours */
#include "devinfo/journal/vdpa_state.h"
#include "tests/unit/tap.h"

static const struct vdpa_state full = {
	.name = "vdpa:0000:65:00.3",
	.created = true,
	.mgmt = "pci/0000:65:00.3",
	.driver_before = "virtio_vdpa",
	.override = "vhost_vdpa",
	.mac_before = { 2, 0, 0, 0, 0x61, 0xff },
	.uid = 4294967294U,
	.gid = 107,
	.mode = 0640,
	.driver = "vhost_vdpa",
	.mac_set = true,
	.owner_set = true,
	.mode_set = true,
};

static bool equal(const struct vdpa_state *a, const struct vdpa_state *b)
{
	return strcmp(a->name, b->name) == 0 && a->created == b->created &&
	       strcmp(a->mgmt, b->mgmt) == 0 && strcmp(a->driver_before, b->driver_before) == 0 &&
	       strcmp(a->override, b->override) == 0 &&
	       memcmp(a->mac_before, b->mac_before, MAC_LEN) == 0 && a->uid == b->uid &&
	       a->gid == b->gid && a->mode == b->mode && strcmp(a->driver, b->driver) == 0 &&
	       a->mac_set == b->mac_set && a->owner_set == b->owner_set &&
	       a->mode_set == b->mode_set;
}

static bool survives(const struct vdpa_state *s)
{
	json_auto_t *o = field_write(&vdpa_state_fields, s, json_object());
	struct vdpa_state back = { .name = "" };
	struct err e;

	return o && field_read(&vdpa_state_fields, o, "vdpa", &back, &e) == 0 && equal(s, &back);
}

static void there_and_back(void)
{
	struct vdpa_state s = { .name = "v" };

	test("what is written is read again, all of it");
	ok(survives(&full));
	ok(survives(&s));
	s = full;
	s.created = false;
	ok(survives(&s));
	s = full;
	s.mac_set = s.mode_set = false;
	ok(survives(&s));
	s.driver[0] = s.driver_before[0] = s.mgmt[0] = '\0';
	ok(survives(&s));
	test("names may be as long as there is room");
	memset(s.name, 'n', sizeof(s.name) - 1);
	memset(s.mgmt, 'm', sizeof(s.mgmt) - 1);
	memset(s.driver, 'd', sizeof(s.driver) - 1);
	ok(survives(&s));
}

/* The full one with a member that is something else, which the error names. */
static bool is_refused(const char *key, json_t *value)
{
	json_auto_t *o = field_write(&vdpa_state_fields, &full, json_object());
	struct vdpa_state s = { .name = "" };
	struct err e = { .code = ERR_OK };

	(void)json_object_set_new(o, key, value);
	return field_read(&vdpa_state_fields, o, "vdpa", &s, &e) == -1 && e.code == ERR_DECODE &&
	       strncmp(e.msg, "vdpa.", 5) == 0 && strncmp(e.msg + 5, key, strlen(key)) == 0;
}

static void hostile_names(void)
{
	static const char *const names[] = { "", ".", "..", "a/b", "../../../etc", "/", "a\nb" };
	static const char *const keys[] = { "driver", "driverBefore", "override" };
	char too_long[128] = "";

	test("what would be part of a path is a name, or the record is none");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ok(is_refused("name", json_string(names[i])));
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		for (size_t i = 1; i < ARRAY_SIZE(names); i++)
			ok(is_refused(keys[k], json_string(names[i])));
	test("a name without end is refused");
	memset(too_long, 'n', sizeof(too_long) - 1);
	ok(is_refused("name", json_string(too_long)));
	ok(is_refused("mgmt", json_string(too_long)));
	ok(is_refused("driver", json_string(too_long)));
	ok(is_refused("driverBefore", json_string(too_long)));
	ok(is_refused("override", json_string(too_long)));
}

static void hostile_values(void)
{
	static const char *const keys[] = {
		"name",     "created",  "mgmt", "driverBefore", "mac",     "macSet", "driver",
		"override", "ownerSet", "uid",  "gid",          "modeSet", "mode",
	};
	static const char *const macs[] = { "", "02:00:00:00:61", "02:00:00:00:61:zz", "x" };

	test("another type is refused, whichever member it is");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		ok(is_refused(keys[i], json_pack("{s:i}", "a", 1)));
		ok(is_refused(keys[i], json_real(0.5)));
	}
	test("addresses and numbers are such");
	for (size_t i = 0; i < ARRAY_SIZE(macs); i++)
		ok(is_refused("mac", json_string(macs[i])));
	ok(is_refused("uid", json_integer(-1)) && is_refused("gid", json_integer(-1)));
	ok(is_refused("uid", json_integer(4294967296)) &&
	   is_refused("gid", json_integer(4294967296)));
	test("a mode has no bits but those of a mode");
	ok(is_refused("mode", json_integer(010000)) && is_refused("mode", json_integer(-1)));
}

static void missing(void)
{
	json_auto_t *o = field_write(&vdpa_state_fields, &full, json_object());
	struct vdpa_state s = { .name = "" };
	struct err e;

	test("without a name or an address before it is none");
	(void)json_object_del(o, "name");
	ok(field_read(&vdpa_state_fields, o, "vdpa", &s, &e) == -1);
	eq(e.msg, "vdpa.name: missing");
	(void)json_object_set_new(o, "name", json_string("v"));
	ok(field_read(&vdpa_state_fields, o, "vdpa", &s, &e) == 0);
	(void)json_object_del(o, "mac");
	ok(field_read(&vdpa_state_fields, o, "vdpa", &s, &e) == -1);
	eq(e.msg, "vdpa.mac: missing");
}

int main(void)
{
	there_and_back();
	hostile_names();
	hostile_values();
	missing();
	return tap_end();
}
