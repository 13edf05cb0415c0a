/* SPDX-License-Identifier: Apache-2.0 */
/* join_file.c - the device-info files in dp/ and cni/, and who is in a network-status */
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/call/status.h"
#include "devinfo/format/store.h"
#include "manager/inventory/read.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct reading {
	struct inventory *inv;
	int dir;
	bool is_dp;
};

/* -- what a file says -- */

static const char *device_of(const struct device_info *di)
{
	const char *address = device_info_pci_address(di);

	if (address && *address)
		return address;
	if (di->kind == DEVICE_VDPA)
		return di->vdpa.parent_device;
	return device_info_path(di);
}

/* As the plugin reads it: what it completes in a device plugin's may be missing. */
static void parse_file(const struct reading *r, const char *text, size_t len, struct inv_file *f)
{
	auto_device_info struct device_info di = { 0 };
	struct err why = { 0 };
	int done = r->is_dp ? device_info_draft(text, len, f->name, &di, &why) :
			      device_info_from_text(text, len, f->name, &di, &why);

	if (done < 0) {
		JOIN_TEXT(f->wrong, why.msg);
		return;
	}
	JOIN_TEXT(f->type, device_kind_name(di.kind));
	JOIN_TEXT(f->version, di.version);
	JOIN_TEXT(f->device, device_of(&di));
}

/* Hidden ones are somebody's who has not written it to its end yet. */
static int add_file(const char *name, void *arg, struct err *e)
{
	const struct reading *r = arg;
	auto_free char *text = NULL;
	struct err why = { 0 };
	struct inv_file *f;
	struct stat st;
	size_t len = 0;

	if (*name == '.' || fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	f = INV_ADD(r->inv, files, e);
	if (!f)
		return -1;
	f->is_dp = r->is_dp;
	f->attachment = INV_NONE;
	f->modified = st.st_mtim.tv_sec;
	JOIN_TEXT(f->name, name);
	if (fs_read_file(r->dir, name, DEVICE_INFO_MAX, &text, &len, &why) > 0)
		parse_file(r, text, len, f);
	else
		JOIN_TEXT(f->wrong, *why.msg ? why.msg : "it is gone by now");
	return 0;
}

static int read_files(const struct host *host, struct inventory *inv, bool is_dp, struct err *e)
{
	auto_close int dir = -1;
	struct reading reading = { .inv = inv, .is_dp = is_dp };
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", host->set.devinfo_dir, is_dp ? "dp" : "cni");
	r = fs_find_dir(host->root, path, &dir, e);
	if (r <= 0)
		return r;
	reading.dir = dir;
	return fs_each(dir, ".", add_file, &reading, e);
}

static int compare_files(const void *a, const void *b)
{
	const struct inv_file *x = a, *y = b;

	return x->is_dp != y->is_dp ? y->is_dp - x->is_dp : strcmp(x->name, y->name);
}

/* -- whose they are -- */

static void name_owners(struct inventory *inv)
{
	json_auto_t *by_file = JOIN_MAP(inv->attachments, inv->n_attachments,
					struct inv_attachment, info_file);

	for (size_t i = 0; i < inv->n_files; i++)
		if (!inv->files[i].is_dp)
			inv->files[i].attachment = join_place(by_file, inv->files[i].name);
}

static void look_into_status(const struct host *host, struct inv_attachment *a)
{
	const struct owner o = {
		.network = a->network, .container_id = a->container_id, .ifname = a->ifname,
	};
	struct err ignored;	/* an entry that cannot be read is none */

	if (*o.network && *o.container_id && *o.ifname)
		a->has_status = status_get(host, &o, NULL, &ignored) > 0;
}

int join_files(const struct host *host, struct inventory *inv, struct err *e)
{
	if (read_files(host, inv, true, e) < 0 || read_files(host, inv, false, e) < 0)
		return -1;
	if (inv->n_files > 0)
		qsort(inv->files, inv->n_files, sizeof(*inv->files), compare_files);
	name_owners(inv);
	for (size_t i = 0; i < inv->n_attachments; i++)
		look_into_status(host, &inv->attachments[i]);
	return 0;
}
