/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h - our entries in an annotation of network-status that others write as well */
#ifndef DAEMON_PUBLISH_MERGE_H
#define DAEMON_PUBLISH_MERGE_H

#include <jansson.h>

#define NETWORK_STATUS	"k8s.v1.cni.cncf.io/network-status"

/*
 * The list that the annotation should have, a new reference: `have` (NULL, or no list: there is
 * none) with our entries.  An entry of the same interface is replaced; what only that has of
 * members stays, and an empty value of ours is none.  Those in `before` (NULL: none) that are as we
 * wrote them and not in `entries` any more are left out.  All others stay as they are, in order;
 * entries that are ours alone are in the order of `entries`, in the places that they had.
 */
json_t *merge_status(const json_t *have, const json_t *entries, const json_t *before);

#endif
