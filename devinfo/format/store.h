/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the device-info files of section 4
 *
 *   <devinfo_dir>/dp/<resource>-<deviceID>-device.json	written by device plugins, read by us,
 *							or written by `devinfoctl publish`
 *   <devinfo_dir>/cni/<UniqueFileName>			one per network attachment, ours
 *
 * A file is read whole and only when it is a regular file of at most DEVICE_INFO_MAX
 * bytes: a link, a directory, a FIFO, a larger or a torn file is ERR_DEVINFO.  Files
 * are replaced atomically, 0644 in directories 0755.
 */
#ifndef DEVINFO_FORMAT_STORE_H
#define DEVINFO_FORMAT_STORE_H

#include "base/fs.h"
#include "base/host.h"
#include "devinfo/format/device_info.h"

#include <limits.h>
#include <stdbool.h>

/*
 * What the device plugin wrote about a device; 1, 0 when it wrote nothing, -1.  The recipe of the
 * name is not injective ('/' becomes '-'), so the caller compares addresses (device_info_enrich).
 */
int store_read_dp(const struct host *host, const char *resource, const char *device_id,
		  struct device_info *ret, struct err *e) must_check;

/* The same of a file that may be repaired, see device_info_draft(). */
int store_draft_dp(const struct host *host, const char *resource, const char *device_id,
		   struct device_info *ret, struct err *e) must_check;

/* The name of that file: false when there can be none of this name. */
bool store_dp_name(const char *resource, const char *device_id, char ret[256]) must_check;

/* For who is the device plugin: create or replace it, and the directory when there is none. */
int store_write_dp(const struct host *host, const char *name, const struct device_info *di,
		   struct err *e) must_check;
/* Remove it; fine when there is none. */
int store_remove_dp(const struct host *host, const char *name, struct err *e) must_check;

/*
 * Our own UniqueFileName when none was given: <network>-<container id>_<ifname> as Multus has it,
 * with a hash for the tail of what would be longer than a file name can be.
 */
int store_cni_name(const char *network, const char *container_id, const char *ifname, char ret[256],
		   struct err *e) must_check;

/* The whole path of the file of that name. */
void store_cni_path(const char *devinfo_dir, const char *name, char ret[PATH_MAX]);

/*
 * The UniqueFileName in a CNIDeviceInfoFile that was given to us: an absolute path without "..",
 * whose directory is <devinfo_dir>/cni, however it is spelled (/var/run is /run).  Of a name
 * that is longer than a file's can be, the tail is a hash, as of our own.  Else
 * ERR_NETCONF.  Looks only: nothing is created, the file itself is not touched.
 */
int store_check_path(const struct host *host, const char *path, char ret[256], struct err *e)
	must_check;

/*
 * The file of an attachment; 1, 0 absent, -1.  ret or text may be NULL.  With ret the content must
 * be valid; text is the content byte for byte, owned by the caller, for store_write_cni_text().
 */
int store_read_cni(const struct host *host, const char *name, struct device_info *ret, char **text,
		   size_t *len, struct err *e) must_check;

/* The same of what others, Multus for one, made of a device plugin's; see device_info_draft(). */
int store_draft_cni(const struct host *host, const char *name, struct device_info *ret,
		    struct err *e) must_check;

/* The directory of these files, for others to write into. */
int store_make_cni(const struct host *host, struct err *e) must_check;

/* Create or replace the file of an attachment, and the directory when there is none. */
int store_write_cni(const struct host *host, const char *name, const struct device_info *di,
		    struct err *e) must_check;

/* The same with bytes that were read before, for a roll-back. */
int store_write_cni_text(const struct host *host, const char *name, const char *text, size_t len,
			 struct err *e) must_check;

/* Call fn for the name of each file of an attachment; see fs_each(). */
int store_each_cni(const struct host *host, fs_name_fn *fn, void *arg, struct err *e) must_check;

/* Remove the file of an attachment; fine when there is none. */
int store_remove_cni(const struct host *host, const char *name, struct err *e) must_check;

#endif
