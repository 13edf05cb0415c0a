/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the device-info files of section 4
 *
 *   <devinfo_dir>/dp/<resource>-<deviceID>-device.json	written by device plugins, read by us,
 *							or written by `devinfoctl publish`
 *   <devinfo_dir>/cni/<UniqueFileName>			one per network attachment, ours
 *
 * A file is read only when it is regular and has at most DEVICE_INFO_MAX bytes: a link, a
 * directory, a FIFO, a larger or truncated file is ERR_DEVINFO.  Files are replaced atomically,
 * 0644 in directories 0755.
 */
#ifndef DEVINFO_FORMAT_STORE_H
#define DEVINFO_FORMAT_STORE_H

#include "base/fs.h"
#include "base/host.h"
#include "devinfo/format/device_info.h"

#include <limits.h>
#include <stdbool.h>

/*
 * Read the device plugin's file about a device; 1, 0 when there is none, -1.  Different ids can
 * have one file name ('/' becomes '-'), so the caller compares addresses (device_info_enrich).
 */
int store_read_dp(const struct host *host, const char *resource, const char *device_id,
		  struct device_info *ret, struct err *e) must_check;

/* The same for a file that may be repaired, see device_info_draft(). */
int store_draft_dp(const struct host *host, const char *resource, const char *device_id,
		   struct device_info *ret, struct err *e) must_check;

/* Open the directory of those files: 1 with a descriptor that the caller closes; 0: none; -1. */
int store_open_dp(const struct host *host, int *ret, struct err *e) must_check;

/* Make the name of that file: false when the name is not valid. */
bool store_dp_name(const char *resource, const char *device_id, char ret[256]) must_check;

/*
 * For `devinfoctl publish`: create or replace the file, and create the directory when it is absent.
 */
int store_write_dp(const struct host *host, const char *name, const struct device_info *di,
		   struct err *e) must_check;
/* Remove it; no error when there is none. */
int store_remove_dp(const struct host *host, const char *name, struct err *e) must_check;

/*
 * Make our own UniqueFileName when none was given: <network>-<container id>_<ifname>, as Multus
 * does; the end of a name that is too long for a file becomes a hash.
 */
int store_cni_name(const char *network, const char *container_id, const char *ifname, char ret[256],
		   struct err *e) must_check;

/* Make the full path of the file of that name. */
void store_cni_path(const char *devinfo_dir, const char *name, char ret[PATH_MAX]);

/*
 * Get the UniqueFileName of the runtime's CNIDeviceInfoFile, which must be an absolute path without
 * ".." in the directory <devinfo_dir>/cni, by any spelling (/var/run is /run): else ERR_NETCONF.
 * The end of a name that is too long for a file becomes a hash.  Nothing is created or changed.
 */
int store_check_path(const struct host *host, const char *path, char ret[256], struct err *e)
	must_check;

/*
 * Read the file of an attachment; 1, 0 absent, -1.  ret or text may be NULL.  With ret the content
 * must be valid; *text is the content byte for byte, which the caller frees, for
 * store_write_cni_text().
 */
int store_read_cni(const struct host *host, const char *name, struct device_info *ret, char **text,
		   size_t *len, struct err *e) must_check;

/*
 * The same for a file that Multus or another program copied from a device plugin's; see
 * device_info_draft().
 */
int store_draft_cni(const struct host *host, const char *name, struct device_info *ret,
		    struct err *e) must_check;

/* Create the directory of these files, for other programs to write to. */
int store_make_cni(const struct host *host, struct err *e) must_check;

/* Create or replace the file of an attachment, and the directory when there is none. */
int store_write_cni(const struct host *host, const char *name, const struct device_info *di,
		    struct err *e) must_check;

/* The same with bytes read by store_read_cni(), for a roll-back. */
int store_write_cni_text(const struct host *host, const char *name, const char *text, size_t len,
			 struct err *e) must_check;

/* Call fn for the name of each file of an attachment; see fs_each(). */
int store_each_cni(const struct host *host, fs_name_fn *fn, void *arg, struct err *e) must_check;

/* Remove the file of an attachment; no error when there is none. */
int store_remove_cni(const struct host *host, const char *name, struct err *e) must_check;

#endif
