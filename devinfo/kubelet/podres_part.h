/* SPDX-License-Identifier: Apache-2.0 */
/* podres_part.h - shared by podres.c, which makes requests, and podres_decode.c */
#ifndef DEVINFO_KUBELET_PODRES_PART_H
#define DEVINFO_KUBELET_PODRES_PART_H

#include "devinfo/kubelet/podres.h"

#include <jansson.h>

enum { NAME_MAX_LEN = 253 };	/* Kubernetes' bound on names: RFC 1123 subdomain */

/* Fill the error that kubelet does not know the pod; returns PODRES_NO_POD. */
enum podres_answer podres_unknown_pod(const struct pod *pod, struct err *e);

/* podres_ask() for a recorded node, from host.facts instead of a socket. */
enum podres_answer podres_recorded(const json_t *facts, enum podres_method m,
				   const struct pod *pod, struct allocation *ret,
				   struct err *e) must_check;

#endif
