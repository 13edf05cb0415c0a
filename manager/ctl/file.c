/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - files that are operands or options of devinfoctl
 *
 * They are the caller's, so they are not looked for below the root; they are read with the
 * plugin's own care: regular files only, of bounded size.  "-" is standard input.
 */
#include "manager/ctl/ctl.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_text(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	const char *base = strrchr(path, '/');
	char dir_name[PATH_MAX] = ".";
	auto_close int dir = -1;
	int r;

	base = base ? base + 1 : path;
	if (base > path && snprintf(dir_name, sizeof(dir_name), "%.*s", (int)(base - path), path) >=
				   (int)sizeof(dir_name))
		return err_set(e, ERR_IO, ENAMETOOLONG, "path '%.64s...'", path);
	dir = open(dir_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_set(e, ERR_IO, errno, "open directory '%s'", dir_name);
	r = fs_read_file(dir, base, max, ret, len, e);
	return r == 0 ? err_set(e, ERR_IO, ENOENT, "open '%s'", base) : r;
}

static int read_stdin(size_t max, char **ret, size_t *len, struct err *e)
{
	auto_free char *text = malloc(max + 2);	/* one too many, and the end */

	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "read standard input");
	*len = fread(text, 1, max + 1, stdin);
	if (ferror(stdin))
		return err_set(e, ERR_IO, errno, "read standard input");
	if (*len > max)
		return err_set(e, ERR_IO, EFBIG, "standard input is over %zu bytes", max);
	text[*len] = '\0';
	*ret = steal_ptr(&text);
	return 0;
}

int ctl_read_file(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	if (strcmp(path, "-") == 0)
		return read_stdin(max, ret, len, e);
	return read_text(path, max, ret, len, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

/* As devinfod reads it: by a link as well. */
int ctl_read_pools(const char *path, struct pools *ret, struct err *e)
{
	auto_free char *real = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL), *text = NULL;
	size_t len = 0;

	if (ctl_read_file(real ? real : path, POOL_FILE_MAX, &text, &len, e) < 0)
		return -1;
	return pools_parse(text, len, ret, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

void ctl_warn_unanswered(const struct pools *p, size_t i, const struct inventory *inv)
{
	const char *what = pool_unanswered(p, i, inv);
	char resource[320];

	if (what)
		ctl_put_line(stderr, "devinfoctl: %s: %s cannot be told here and selects no device",
			     pool_resource(p, i, resource), what);
}

int ctl_read_device_info(const char *path, struct device_info *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(path, DEVICE_INFO_MAX, &text, &len, e) < 0)
		return -1;
	return device_info_from_text(text, len, path, ret, e);
}

/* -- as a pod has it -- */

static const json_t *info_of(const json_t *entry)
{
	return json_object_get(entry, "device-info");
}

static bool is_of(const json_t *entry, const char *interface)
{
	const char *name = json_string_value(json_object_get(entry, "interface"));

	return interface ? name && strcmp(name, interface) == 0 : json_is_object(info_of(entry));
}

/* The interfaces with a device, for a message. */
static const char *with_device(const json_t *list, char ret[160])
{
	const json_t *entry;
	size_t i, used = 0;

	*ret = '\0';
	json_array_foreach(list, i, entry) {
		const char *name = json_string_value(json_object_get(entry, "interface"));

		if (json_is_object(info_of(entry)) && used < 160)
			used += (size_t)snprintf(ret + used, 160 - used, "%s%.15s",
						 used ? ", " : "", name ? name : "?");
	}
	return *ret ? ret : "none";
}

static int find_entry(const json_t *list, const char *interface, const char *path,
		      const json_t **ret, struct err *e)
{
	const json_t *entry, *found = NULL;
	char names[160];
	unsigned int n = 0;
	size_t i;

	json_array_foreach(list, i, entry)
		if (is_of(entry, interface)) {
			found = entry;
			n++;
		}
	if (!interface && n != 1)
		return err_set(e, ERR_DEVINFO, 0, "%s: a network-status list with %u devices: say "
			       "which by --interface (with a device: %s)", path, n,
			       with_device(list, names));
	if (n != 1 || !json_is_object(info_of(found)))
		return err_set(e, ERR_DEVINFO, 0, "%s: interface %s %s (with a device: %s)", path,
			       interface, n == 0 ? "is not in the list" : n > 1 ?
			       "is in the list more than once" : "has no device-info",
			       with_device(list, names));
	*ret = found;
	return 0;
}

int ctl_read_of_pod(const char *path, const char *interface, struct device_info *ret,
		    struct err *e)
{
	auto_free char *text = NULL, *real = realpath(path, NULL);
	json_auto_t *doc = NULL;
	const json_t *entry = NULL;
	size_t len = 0;

	if (read_text(real ? real : path, DEVICE_INFO_MAX, &text, &len, e) < 0)
		return err_wrap(e, "%s", path);
	doc = jx_parse(text, len, ERR_DEVINFO, path, e);
	if (!doc)
		return -1;
	if (!json_is_array(doc))
		return interface ?
			       err_set(e, ERR_DEVINFO, 0, "%s: --interface: expected a "
				       "network-status list, got %s", path, jx_type_name(doc)) :
			       device_info_from_json(doc, path, ret, e);
	return find_entry(doc, interface, path, &entry, e) < 0 ?
		       -1 : device_info_from_json(info_of(entry), path, ret, e);
}
