/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsport.h - the representor of a function as a port of Open vSwitch
 *
 * The room cni/ovsport/ is an aspect: it changes rows in the database of Open vSwitch, by
 * cni/switch/, and nothing of the kernel's.  cni/representor/ sets the representor up, and its MTU.
 *
 * The port has the representor's name, and in external_ids the attachment's, as the port of a
 * socket has: DEL and GC find it by those, whatever becomes of device, name and boot.
 */
#ifndef CNI_OVSPORT_H
#define CNI_OVSPORT_H

#include "cni/aspect/aspect.h"

extern const struct aspect ovsport_aspect;

#endif
