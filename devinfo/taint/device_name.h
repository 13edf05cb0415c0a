/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_name.h - how ResourceSlices of this node call its devices
 *
 * Names are DNS labels that stay as long as the hardware: "0000-65-00-3".  A sub-function has the
 * name of its PF and its number, "0000-65-00-0-sf-88", for its name on the auxiliary bus is another
 * one each time; a vDPA device that is on neither is "vdpa-NAME".
 */
#ifndef DEVINFO_TAINT_DEVICE_NAME_H
#define DEVINFO_TAINT_DEVICE_NAME_H

/* The driver of those slices, unless another one is said. */
#define DEVICE_NAME_DRIVER "devinfo.cni.dev"

enum { DEVICE_NAME_SIZE = 64 };

void device_name_function(const char *bdf, char ret[DEVICE_NAME_SIZE]);
void device_name_sub_function(const char *pf_bdf, unsigned int number, char ret[DEVICE_NAME_SIZE]);
/* Name a device of the auxiliary bus that is no sub-function, or has no number. */
void device_name_auxiliary(const char *name, char ret[DEVICE_NAME_SIZE]);
void device_name_vdpa(const char *name, char ret[DEVICE_NAME_SIZE]);

#endif
