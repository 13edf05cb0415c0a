/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features.h - the features of this node, as Node Feature Discovery finds them
 *
 * The room manager/nfd/ is about Node Feature Discovery: it makes the feature files and objects
 * that NFD reads, and evaluates rules as NFD does.  It changes only our one feature file.
 *
 * To be read in this order:
 *
 *	features.c		all features of a node, of which features_*.c make a part each
 *				(features_part.h), and node_summary.c counts the devices
 *	feature_set.c		features in the form below: looked up, checked, put together
 *	feature_export.c	our feature file is written; node_feature.c makes the object,
 *				node_object.c that of this node
 *	feature_file.c		feature files are read; name.c says which names NFD lets a node have
 *	rule_read.c		a rule is read (rule.h), rule_match.c matches it, rule_output.c
 *				collects what it gives, rule_trace.c tells why
 *	rule_run.c		rules are run one behind the other
 *	eval.c			all that nfd-worker (worker.c) and nfd-master (master.c) do with
 *				them
 *	lint.c			what NFD would refuse of a file, with lint_*.c for its parts
 *
 * Features have the form of spec.features of a NodeFeature object (nfd.k8s-sigs.io/v1alpha1):
 *
 *	{ "flags":      { "kernel.loadedmodule": { "elements": { "igb": {} } } },
 *	  "attributes": { "kernel.version": { "elements": { "major": "6" } } },
 *	  "instances":  { "pci.device": { "elements": [
 *				{ "attributes": { "vendor": "15b3" } } ] } } }
 *
 * Values are texts.
 */
#ifndef MANAGER_NFD_FEATURES_H
#define MANAGER_NFD_FEATURES_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>

/*
 * The features of a node: network, pci, kernel, system, memory and local as NFD has them, and
 * ours of its devices in the domain "devinfo".  What cannot be read is left out, as there.  The
 * inventory is a joined one.  New reference; NULL with *e filled.
 *
 *	devinfo.node		attributes: how many devices of each kind there are (node_summary.h)
 *	devinfo.function	instances: the PCI functions, with the attributes of expressions
 *	devinfo.auxiliary	instances: sub-functions, the same
 *	devinfo.vdpa		instances: vDPA devices
 *	devinfo.mgmtdev		instances: what makes these
 *
 * Who has a device, its addresses and its error counters are not in them: features make labels and
 * objects of the cluster, and each change is written there.
 */
json_t *nfd_features(const struct host *host, const struct inventory *inv,
		     struct err *e) must_check;

/* The same, also with the devices' pools; NULL: none. */
json_t *nfd_features_with_pools(const struct host *host, const struct inventory *inv,
				const struct pools *pools, struct err *e) must_check;

/*
 * The name of the node as far as the node knows it, host_node_name(): 1, 0 when it is not known, or
 * cannot be a node's; -1.
 */
enum { NFD_NODE_NAME_MAX = 253 };
int nfd_node_name(const struct host *host, char ret[NFD_NODE_NAME_MAX + 1],
		  struct err *e) must_check;
/* Replace system.name by the administrator's value. */
void nfd_features_set_name(json_t *features, const char *name);

#endif
