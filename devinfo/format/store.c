/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - the device-info files of section 4 */
#include "devinfo/format/store.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/format/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { STORE_DIR_MODE = 0755, STORE_FILE_MODE = 0644 };

static int sub_dir(const struct host *host, const char *sub, char ret[PATH_MAX], struct err *e)
{
	if (snprintf(ret, PATH_MAX, "%s/%s", host->set.devinfo_dir, sub) >= PATH_MAX)
		return err_set(e, ERR_IO, ENAMETOOLONG, "directory '%.64s...'", ret);
	return 0;
}

void store_cni_path(const char *devinfo_dir, const char *name, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, "%s/cni/%s", devinfo_dir, name);
}

/* dp/ or cni/ without creating it; *ret is closed by the caller. */
static int open_sub_dir(const struct host *host, const char *sub, int *ret, struct err *e)
{
	char path[PATH_MAX];

	return sub_dir(host, sub, path, e) < 0 ? -1 : fs_find_dir(host->root, path, ret, e);
}

int store_open_dp(const struct host *host, int *ret, struct err *e)
{
	return open_sub_dir(host, "dp", ret, e);
}

/* Did reading fail because of what stands there, and not because of the machine? */
static bool is_bad_file(int sys)
{
	return sys == ELOOP || sys == EISDIR || sys == EINVAL || sys == EFBIG || sys == EAGAIN ||
	       sys == ENXIO;
}

static int read_text(const struct host *host, const char *sub, const char *name, char **ret,
		     size_t *len, struct err *e)
{
	auto_close int dir = -1;
	int r = open_sub_dir(host, sub, &dir, e);

	if (r <= 0)
		return r;
	r = fs_read_file(dir, name, DEVICE_INFO_MAX, ret, len, e);
	if (r >= 0)
		return r;
	if (is_bad_file(e->sys))
		e->code = ERR_DEVINFO;
	return err_wrap(e, "%s/%s", host->set.devinfo_dir, sub);
}

typedef int parse_fn(const char *text, size_t len, const char *what, struct device_info *ret,
		     struct err *e);

static int parse(const struct host *host, parse_fn *fn, const char *sub, const char *name,
		 const char *text, size_t len, struct device_info *ret, struct err *e)
{
	char what[192];		/* leaves room in a message for what is wrong */

	(void)snprintf(what, sizeof(what), "%.64s/%s/%.100s", host->set.devinfo_dir, sub, name);
	return fn(text, len, what, ret, e);
}

bool store_dp_name(const char *resource, const char *device_id, char ret[256])
{
	int n = snprintf(ret, 256, "%s-%s-device.json", resource, device_id);

	if (n < 0 || n >= 256)
		return false;
	for (char *p = ret; *p; p++)
		if (*p == '/')
			*p = '-';
	return name_is_file(ret);
}

static int read_dp(const struct host *host, parse_fn *fn, const char *resource,
		   const char *device_id, struct device_info *ret, struct err *e)
{
	char name[256];
	auto_free char *text = NULL;
	size_t len = 0;
	int r;

	if (!store_dp_name(resource, device_id, name))
		return 0;	/* nobody can have written it */
	r = read_text(host, "dp", name, &text, &len, e);
	if (r <= 0)
		return r;
	return parse(host, fn, "dp", name, text, len, ret, e) < 0 ? -1 : 1;
}

int store_read_dp(const struct host *host, const char *resource, const char *device_id,
		  struct device_info *ret, struct err *e)
{
	return read_dp(host, device_info_from_text, resource, device_id, ret, e);
}

int store_draft_dp(const struct host *host, const char *resource, const char *device_id,
		   struct device_info *ret, struct err *e)
{
	return read_dp(host, device_info_draft, resource, device_id, ret, e);
}

int store_cni_name(const char *network, const char *container_id, const char *ifname, char ret[256],
		   struct err *e)
{
	auto_free char *text = NULL;

	if (asprintf(&text, "%s-%s_%s", network, container_id, ifname) < 0) {
		text = NULL;	/* undefined after a failure */
		return err_set(e, ERR_IO, ENOMEM, "name of the device-info file");
	}
	name_to_file(text, ret);
	return 0;
}

/* Cut the last component off a path that begins with '/', and say what it was. */
static const char *cut_last(char *path)
{
	char *end = path + strlen(path);

	while (end > path && end[-1] == '/')
		*--end = '\0';
	while (end > path && end[-1] != '/')
		end--;
	if (end > path)
		end[-1] = '\0';
	return end;
}

/* Open a directory to compare it: 1, 0 when there is none, -1. */
static int open_to_compare(int root, const char *path, int *ret, struct stat *st, struct err *e)
{
	*ret = fs_open(root, path, O_PATH | O_DIRECTORY, 0);
	if (*ret < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (*ret < 0 || fstat(*ret, st) < 0)
		return err_set(e, ERR_IO, errno, "CNIDeviceInfoFile: look at '%.200s'", path);
	return 1;
}

/*
 * Whether two paths name the same directory, which need not be there yet: then their last
 * components are equal and their parents are the same directory.  1, 0, -1.  Both buffers are used
 * up.
 */
static int same_dir(int root, char *a, char *b, struct err *e)
{
	while (*a && *b) {
		auto_close int fd_a = -1, fd_b = -1;
		struct stat st_a = { 0 }, st_b = { 0 };
		int has_a = open_to_compare(root, a, &fd_a, &st_a, e);
		int has_b = has_a < 0 ? -1 : open_to_compare(root, b, &fd_b, &st_b, e);

		if (has_a < 0 || has_b < 0)
			return -1;
		if (has_a && has_b)
			return st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
		if (has_a || has_b || strcmp(cut_last(a), cut_last(b)) != 0)
			return 0;
	}
	return !*a && !*b;
}

int store_check_path(const struct host *host, const char *path, char ret[256], struct err *e)
{
	char given[PATH_MAX], ours[PATH_MAX], file[256];
	const char *name;
	int same;

	if (!kind_is_path(path) || strlen(path) >= sizeof(given))
		return err_set(e, ERR_NETCONF, 0,
			       "CNIDeviceInfoFile: '%.128s': expected an absolute path without "
			       "'..'",
			       path);
	if (sub_dir(host, "cni", ours, e) < 0)
		return -1;
	(void)snprintf(given, sizeof(given), "%s", path);
	name = cut_last(given);
	name_to_file(name, file);
	if (path[strlen(path) - 1] == '/' || (strlen(name) < sizeof(file) && !name_is_file(name)) ||
	    !name_is_file(file))
		return err_set(e, ERR_NETCONF, 0,
			       "CNIDeviceInfoFile: '%.128s' ends in no file name", path);
	same = same_dir(host->root, given, ours, e);
	if (same < 0)
		return -1;
	if (!same)
		return err_set(e, ERR_NETCONF, 0,
			       "CNIDeviceInfoFile: '%.128s' does not lie in '%.64s/cni'", path,
			       host->set.devinfo_dir);
	memcpy(ret, file, sizeof(file));
	return 0;
}

int store_read_cni(const struct host *host, const char *name, struct device_info *ret, char **text,
		   size_t *len, struct err *e)
{
	auto_free char *own = NULL;
	size_t n = 0;
	int r = read_text(host, "cni", name, &own, &n, e);

	if (r <= 0)
		return r;
	if (ret && parse(host, device_info_from_text, "cni", name, own, n, ret, e) < 0)
		return -1;
	if (text) {
		*text = steal_ptr(&own);
		*len = n;
	}
	return 1;
}

int store_draft_cni(const struct host *host, const char *name, struct device_info *ret,
		    struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = read_text(host, "cni", name, &text, &len, e);

	if (r <= 0)
		return r;
	return parse(host, device_info_draft, "cni", name, text, len, ret, e) < 0 ? -1 : 1;
}

static int make_sub_dir(const struct host *host, const char *sub, char path[PATH_MAX], int *ret,
			struct err *e)
{
	if (sub_dir(host, sub, path, e) < 0)
		return -1;
	*ret = fs_open_dir(host->root, path, STORE_DIR_MODE, e);
	return *ret < 0 ? -1 : 0;
}

int store_make_cni(const struct host *host, struct err *e)
{
	char path[PATH_MAX];
	auto_close int dir = -1;

	return make_sub_dir(host, "cni", path, &dir, e);
}

static int write_text(const struct host *host, const char *sub, const char *name, const char *text,
		      size_t len, struct err *e)
{
	char path[PATH_MAX];
	auto_close int dir = -1;

	if (make_sub_dir(host, sub, path, &dir, e) < 0)
		return -1;
	if (fs_write_file(dir, name, text, len, STORE_FILE_MODE, 0, e) == 0)
		return 0;
	errno = e->sys;
	if (fs_let_owner_write(dir) == 0 &&
	    fs_write_file(dir, name, text, len, STORE_FILE_MODE, 0, e) == 0)
		return 0;
	return err_wrap(e, "%s", path);
}

int store_write_cni_text(const struct host *host, const char *name, const char *text, size_t len,
			 struct err *e)
{
	return write_text(host, "cni", name, text, len, e);
}

static int write_info(const struct host *host, const char *sub, const char *name,
		      const struct device_info *di, struct err *e)
{
	json_auto_t *o = NULL;
	auto_free char *text = NULL;
	size_t len = 0;

	if (device_info_validate(di, name, e) < 0)
		return -1;
	o = device_info_to_json(di);
	text = jx_dump(o, &len);
	return write_text(host, sub, name, text, len, e);
}

int store_write_cni(const struct host *host, const char *name, const struct device_info *di,
		    struct err *e)
{
	return write_info(host, "cni", name, di, e);
}

int store_write_dp(const struct host *host, const char *name, const struct device_info *di,
		   struct err *e)
{
	return write_info(host, "dp", name, di, e);
}

int store_each_cni(const struct host *host, fs_name_fn *fn, void *arg, struct err *e)
{
	char path[PATH_MAX];

	return sub_dir(host, "cni", path, e) < 0 ? -1 : fs_each(host->root, path, fn, arg, e);
}

static int remove_file(const struct host *host, const char *sub, const char *name, struct err *e)
{
	auto_close int dir = -1;
	int r = open_sub_dir(host, sub, &dir, e);

	if (r <= 0)
		return r;
	if (fs_remove(dir, name, e) < 0)
		return err_wrap(e, "%s/%s", host->set.devinfo_dir, sub);
	return 0;
}

int store_remove_cni(const struct host *host, const char *name, struct err *e)
{
	return remove_file(host, "cni", name, e);
}

int store_remove_dp(const struct host *host, const char *name, struct err *e)
{
	return remove_file(host, "dp", name, e);
}
