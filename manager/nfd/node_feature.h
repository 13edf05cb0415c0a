/* SPDX-License-Identifier: Apache-2.0 */
/* node_feature.h - the features of a node as an object of the cluster */
#ifndef MANAGER_NFD_NODE_FEATURE_H
#define MANAGER_NFD_NODE_FEATURE_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

/* Of NodeFeatures and NodeFeatureRules; a NodeFeature's label that says of which node it is. */
#define NFD_API_VERSION	"nfd.k8s-sigs.io/v1alpha1"
#define NODE_FEATURE_NAMESPACE	"node-feature-discovery"	/* of ours */
#define NFD_NODE_LABEL	"nfd.node.kubernetes.io/node-name"

enum {
	NODE_FEATURE_BYTES_MAX = 1500 * 1000,	/* etcd's default limit of a request is 1.5 MiB */
	NODE_FEATURE_APPLY_MAX = 256 * 1000,	/* kubectl apply keeps a copy in an annotation,
						   which are limited to 256 KiB */
};

/* 0, or -1 with what a node can be called: the label that targets it has at most 63 bytes. */
int node_feature_check_name(const char *node, struct err *e) must_check;

/*
 * A NodeFeature of nfd.k8s-sigs.io/v1alpha1 for this node, new reference; NULL with *e filled.
 * labels may be NULL: it requests none.
 */
json_t *node_feature(const json_t *features, const json_t *labels, const char *node,
		     struct err *e) must_check;

/* How many bytes it has when it is sent. */
size_t node_feature_size(const json_t *object);

/*
 * Take out sets until it has no more bytes than max: the largest that rules of devices need least
 * first.  Each is told.  0, or -1 when it is too large all the same.
 */
int node_feature_trim(json_t *object, size_t max, void (*left_out)(const char *set, void *arg),
		      void *arg, struct err *e) must_check;

#endif
