/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_info.h - one device as the Device Information Specification 1.1.0 describes it
 *
 * The room devinfo/format/ handles device-info only: its types, its validation, and the files in
 * dp/ (written by `publish` alone) and cni/ (read and written).  It uses neither the kernel, nor
 * kubelet, nor attachments: other rooms fill in a struct device_info, or read one.
 *
 * Everything the project does turns some input into a struct device_info or emits one.  The four
 * types of section 3 are a tagged union of fixed-size strings ("" is absent); members that the
 * specification does not define, at the top and inside the type's map, are kept and emitted again.
 */
#ifndef DEVINFO_FORMAT_DEVICE_INFO_H
#define DEVINFO_FORMAT_DEVICE_INFO_H

#include "base/err.h"

#include <jansson.h>

#define DEVICE_INFO_VERSION	"1.1.0"	/* what we write in a new file, or with a 1.1.0 key */
#define DEVICE_INFO_MAX		(1024 * 1024)	/* bytes of a device-info file that we read */

enum device_kind { DEVICE_PCI, DEVICE_VDPA, DEVICE_VHOST_USER, DEVICE_MEMIF, DEVICE_KINDS };

struct pci_info {
	char pci_address[16];
	char vhost_net[108];
	char rdma_device[256];		/* producers join several with ',' */
	char pf_pci_address[16];
	char representor_device[16];	/* since 1.1.0 */
};

struct vdpa_info {
	char parent_device[64];
	char driver[16];
	char path[256];
	char pci_address[16];
	char pf_pci_address[16];
	char representor_device[16];	/* since 1.1.0 */
};

struct vhost_user_info {
	char mode[8];
	char path[256];
};

struct memif_info {
	char role[8];
	char path[256];
	char mode[16];
};

struct device_info {
	enum device_kind kind;
	char version[16];		/* MAJOR.MINOR.PATCH without a leading 'v' */
	union {
		struct pci_info pci;
		struct vdpa_info vdpa;
		struct vhost_user_info vhost_user;
		struct memif_info memif;
	};
	json_t *extra;			/* owned; unknown members of the top, or NULL */
	json_t *extra_map;		/* owned; unknown members of the type's map, or NULL */
};

/* Return the name of a kind in the "type" key: "pci", "vdpa", "vhost-user", "memif". */
const char *device_kind_name(enum device_kind kind);

/* Return its PCI address, "" when it is absent; NULL when its type has none.  Borrowed. */
const char *device_info_pci_address(const struct device_info *di);

/* Return its path, "" when it is absent.  Borrowed. */
const char *device_info_path(const struct device_info *di);

/*
 * Parse and validate a "device-info" map (section 3).  `what` names the source in messages, for
 * example the file.  Errors are ERR_DEVINFO and name the key, the value and what is allowed.
 */
int device_info_from_json(const json_t *o, const char *what, struct device_info *ret, struct err *e)
	must_check;

/* The same for the len bytes of a file; ERR_DEVINFO also when they are no JSON. */
int device_info_from_text(const char *text, size_t len, const char *what, struct device_info *ret,
			  struct err *e) must_check;

/*
 * The same for a device plugin's file that may be repaired: for a vDPA device, parent-device,
 * driver and path may be missing or invalid.  vdpa_info_enrich() repairs them, and
 * device_info_validate() refuses what is still wrong.  For the other types it is
 * device_info_from_text().
 */
int device_info_draft(const char *text, size_t len, const char *what, struct device_info *ret,
		      struct err *e) must_check;

/* Check all required keys, enums, addresses and paths; the same rules as device_info_from_json. */
int device_info_validate(const struct device_info *di, const char *what, struct err *e) must_check;

/* Return the map in the order of the specification, unknown members last.  A new reference. */
json_t *device_info_to_json(const struct device_info *di);

/* Raise the version to 1.1.0 when a 1.1.0 key is set; a higher version is never lowered. */
void device_info_raise_version(struct device_info *di);

/* Release what *di owns; zeroed structs are fine. */
void device_info_done(struct device_info *di);

#define auto_device_info auto_with(device_info_done)

#endif
