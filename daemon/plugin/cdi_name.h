/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cdi_name.h - what the Container Device Interface calls a resource and its devices
 *
 * The kind of "intel.com/sriov" is "intel.com/net-sriov".  Vendors and classes begin with a letter
 * there: "6wind.com" becomes "v6wind.com".
 */
#ifndef DAEMON_PLUGIN_CDI_NAME_H
#define DAEMON_PLUGIN_CDI_NAME_H

#define CDI_KIND_SIZE 336
#define CDI_NAME_SIZE 448

void cdi_kind(const char *resource, char ret[CDI_KIND_SIZE]);
/* "intel.com/net-sriov=0000:65:00.3": what a request for a device says. */
void cdi_device_name(const char *resource, const char *id, char ret[CDI_NAME_SIZE]);
/* "devinfod-intel.com_net-sriov.json"; the end of one too long for a file becomes a hash. */
#define CDI_FILE_PREFIX "devinfod-"
void cdi_file_name(const char *resource, char ret[256]);

#endif
