/* SPDX-License-Identifier: Apache-2.0 */
/* podres_part.h - what asking (podres.c) and decoding (podres_decode.c) share */
#ifndef DEVINFO_KUBELET_PODRES_PART_H
#define DEVINFO_KUBELET_PODRES_PART_H

#include "devinfo/kubelet/podres.h"

/* The error that kubelet does not know it, and PODRES_NO_POD. */
enum podres_answer podres_unknown_pod(const struct pod *pod, struct err *e);

#endif
