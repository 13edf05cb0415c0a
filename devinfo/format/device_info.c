/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_info.c - parse, check and emit a device-info map by the tables of kinds.c
 *
 * Values end in pod annotations, where app-netutil splits at '=' and drops blanks
 * and backslashes: no value with one of these is read or written.  An empty value
 * counts as absent, for Go's producers know no difference.
 */
#include "devinfo/format/kind.h"

#include "base/jx.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define for_each_field(f, kind) \
	for (const struct kind_field *f = (kind)->fields; f < (kind)->fields + (kind)->count; f++)

static char *field_value(struct device_info *di, const struct kind_field *f)
{
	return (char *)di + f->offset;
}

static const char *field_text(const struct device_info *di, const struct kind_field *f)
{
	return (const char *)di + f->offset;
}

/* NULL: the map of this kind has no such member. */
static const char *find_text(const struct device_info *di, const char *key)
{
	for_each_field(f, kinds[di->kind])
		if (strcmp(f->key, key) == 0)
			return field_text(di, f);
	return NULL;
}

const char *device_info_pci_address(const struct device_info *di)
{
	return find_text(di, "pci-address");
}

const char *device_info_path(const struct device_info *di)
{
	const char *path = find_text(di, "path");

	return path ? path : "";
}

/* Nothing in it that a reader of annotations, or of our messages, would trip over. */
static int check_clean(const char *value, const char *path, const char *key, struct err *e)
{
	for (const unsigned char *s = (const unsigned char *)value; *s; s++)
		if (*s <= ' ' || *s == 0x7f || (s[0] == 0xc2 && s[1] <= 0xa0) ||
		    strchr("=\"\\", *s))
			return err_set(e, ERR_DEVINFO, 0, "%s%s%s: byte %td is a blank, a control "
				       "character or one of = \" \\",
				       path, *path ? "." : "", key,
				       s - (const unsigned char *)value + 1);
	return 0;
}

/* Three decimal numbers and nothing else. */
static bool is_version(const char *s)
{
	for (int i = 0; i < 3; i++) {
		size_t digits = strspn(s, "0123456789");

		if (digits == 0 || digits > 4)
			return false;
		s += digits;
		if (*s++ != (i < 2 ? '.' : '\0'))
			return false;
	}
	return true;
}

static int check_field(const struct device_info *di, const struct kind_field *f, const char *map,
		       struct err *e)
{
	const char *value = field_text(di, f);

	if (!*value && f->required)
		return err_set(e, ERR_DEVINFO, 0, "%s.%s is required: expected %s", map, f->key,
			       f->want);
	if (!*value)
		return 0;
	if (check_clean(value, map, f->key, e) < 0)
		return -1;
	if (!f->fits(value))
		return err_set(e, ERR_DEVINFO, 0, "%s.%s: '%.64s': expected %s", map, f->key, value,
			       f->want);
	return 0;
}

typedef bool field_fn(const struct kind_field *f);

static bool is_any(const struct kind_field *f)
{
	return f != NULL;
}

static bool is_lasting(const struct kind_field *f)
{
	return !f->repairable;
}

/* The version, and those fields that this is about. */
static int check_fields(const struct device_info *di, field_fn *is_checked, struct err *e)
{
	const struct kind *kind = kinds[di->kind];

	if (!is_version(di->version))
		return err_set(e, ERR_DEVINFO, 0, "version: '%s': expected MAJOR.MINOR.PATCH",
			       di->version);
	for_each_field(f, kind) {
		if (!is_checked(f) || check_field(di, f, kind->name, e) == 0)
			continue;
		if (kind->hint && kind->hint(di))
			(void)err_detail(e, "%s", kind->hint(di));
		return -1;
	}
	return 0;
}

int device_info_validate(const struct device_info *di, const char *what, struct err *e)
{
	return check_fields(di, is_any, e) < 0 ? err_wrap(e, "%s", what) : 0;
}

/* A string member into a buffer of size bytes; absent leaves the buffer as it is. */
static int read_string(const json_t *o, const char *path, const char *key, char *buf, size_t size,
		       struct err *e)
{
	const char *value = NULL;
	int r = jx_string(o, path, key, &value, e);

	if (r <= 0)
		return r;
	if (check_clean(value, path, key, e) < 0)
		return -1;
	if (strlen(value) >= size)
		return err_set(e, ERR_DEVINFO, 0,
			       "%s%s%s: '%.64s...' has %zu bytes, at most %zu are possible", path,
			       *path ? "." : "", key, value, strlen(value), size - 1);
	(void)snprintf(buf, size, "%s", value);
	return 1;
}

/* "pci, vdpa, vhost-user or memif" */
static const char *list_kinds(char *ret, size_t size)
{
	size_t len = 0;

	for (enum device_kind kind = 0; kind < DEVICE_KINDS && len < size; kind++)
		len += (size_t)snprintf(ret + len, size - len, "%s%s", kinds[kind]->name,
					kind + 2 < DEVICE_KINDS ? ", " :
					kind + 1 < DEVICE_KINDS ? " or " : "");
	return ret;
}

static int read_kind(const json_t *o, enum device_kind *ret, struct err *e)
{
	char type[16] = "", known[DEVICE_KINDS * sizeof(type)];

	if (read_string(o, "", "type", type, sizeof(type), e) < 0)
		return -1;
	if (!*type)
		return err_set(e, ERR_DEVINFO, 0, "type is required: expected %s",
			       list_kinds(known, sizeof(known)));
	for (enum device_kind kind = 0; kind < DEVICE_KINDS; kind++) {
		if (strcmp(type, kinds[kind]->name) != 0)
			continue;
		*ret = kind;
		return 0;
	}
	return err_set(e, ERR_DEVINFO, 0, "type: '%s': expected %s", type,
		       list_kinds(known, sizeof(known)));
}

static int read_version(const json_t *o, char version[16], struct err *e)
{
	char text[17] = "";	/* one more than we keep, for the 'v' of some producers */

	if (read_string(o, "", "version", text, sizeof(text), e) < 0)
		return -1;
	if (!*text)
		return err_set(e, ERR_DEVINFO, 0, "version is required: expected "
						  "MAJOR.MINOR.PATCH");
	(void)snprintf(version, 16, "%.15s", text[0] == 'v' ? text + 1 : text);
	return 0;
}

static int read_map(const json_t *o, const struct kind *kind, struct device_info *di, struct err *e)
{
	json_t *map = NULL;
	int r = jx_object(o, "", kind->name, &map, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_DEVINFO, 0, "the map '%s' is required when type is '%s'",
			       kind->name, kind->name);
	di->extra_map = json_deep_copy(map);
	for_each_field(f, kind) {
		if (read_string(map, kind->name, f->key, field_value(di, f), f->size, e) < 0)
			return -1;
		if (f->canonise)
			f->canonise(field_value(di, f));
		(void)json_object_del(di->extra_map, f->key);	/* absent is fine */
	}
	return 0;
}

static void read_extra(const json_t *o, const struct kind *kind, struct device_info *di)
{
	di->extra = json_deep_copy(o);
	(void)json_object_del(di->extra, "type");
	(void)json_object_del(di->extra, "version");
	(void)json_object_del(di->extra, kind->name);
}

/* Drop a container that holds nothing. */
static void drop_empty(json_t **o)
{
	if (json_object_size(*o) > 0)
		return;
	json_decref(*o);
	*o = NULL;
}

static int read_all(const json_t *o, field_fn *is_checked, struct device_info *di, struct err *e)
{
	if (!json_is_object(o))
		return err_set(e, ERR_DEVINFO, 0, "expected an object, got %s", jx_type_name(o));
	if (read_kind(o, &di->kind, e) < 0 || read_version(o, di->version, e) < 0 ||
	    read_map(o, kinds[di->kind], di, e) < 0)
		return -1;
	read_extra(o, kinds[di->kind], di);
	drop_empty(&di->extra);
	drop_empty(&di->extra_map);
	return check_fields(di, is_checked, e);
}

static int from_json(const json_t *o, field_fn *is_checked, const char *what,
		     struct device_info *ret, struct err *e)
{
	auto_device_info struct device_info di = { 0 };

	if (read_all(o, is_checked, &di, e) < 0) {
		e->code = ERR_DEVINFO;	/* the getters speak of configurations */
		return err_wrap(e, "%s", what);
	}
	*ret = di;
	di = (struct device_info){ 0 };
	return 0;
}

int device_info_from_json(const json_t *o, const char *what, struct device_info *ret, struct err *e)
{
	return from_json(o, is_any, what, ret, e);
}

int device_info_draft(const char *text, size_t len, const char *what, struct device_info *ret,
		      struct err *e)
{
	json_auto_t *o = jx_parse(text, len, ERR_DEVINFO, what, e);

	return o ? from_json(o, is_lasting, what, ret, e) : -1;
}

int device_info_from_text(const char *text, size_t len, const char *what, struct device_info *ret,
			  struct err *e)
{
	json_auto_t *o = jx_parse(text, len, ERR_DEVINFO, what, e);

	return o ? device_info_from_json(o, what, ret, e) : -1;
}

json_t *device_info_to_json(const struct device_info *di)
{
	const struct kind *kind = kinds[di->kind];
	json_t *map = json_object();
	json_t *o = json_pack("{s:s, s:s, s:o}", "type", kind->name, "version", di->version,
			      kind->name, map);

	for_each_field(f, kind)
		if (*field_text(di, f))
			(void)json_object_set_new(map, f->key, json_string(field_text(di, f)));
	if (di->extra_map)
		(void)json_object_update_missing(map, di->extra_map);
	if (di->extra)
		(void)json_object_update_missing(o, di->extra);
	return o;
}

static bool is_below_1_1(const char *version)
{
	char *end = NULL;
	unsigned long major = strtoul(version, &end, 10);

	return major < 1 || (major == 1 && *end == '.' && strtoul(end + 1, NULL, 10) < 1);
}

void device_info_raise_version(struct device_info *di)
{
	static const char version[] = DEVICE_INFO_VERSION;

	static_assert(sizeof(version) <= sizeof(di->version), "version is too short");
	for_each_field(f, kinds[di->kind])
		if (f->since_1_1 && *field_text(di, f) && is_below_1_1(di->version))
			memcpy(di->version, version, sizeof(version));
}

void device_info_done(struct device_info *di)
{
	json_decref(di->extra);
	json_decref(di->extra_map);
	di->extra = NULL;
	di->extra_map = NULL;
}
