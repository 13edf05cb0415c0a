/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network_definition.h - what networks are: a directory of definitions and configurations
 *
 * A directory has, in any files and any order:
 *
 *	NetworkAttachmentDefinitions, each of its namespace: *.yaml, *.yml, *.json, one or many in
 *		a file, as `kubectl get -o yaml` prints them
 *	configurations of CNI, as Multus' directory has them: *.conflist, *.conf, *.json.  Each is
 *		what a definition without spec.config means that has its name, and without any
 *		definition a network of every namespace
 *
 * A file or object that is wrong is told and passed over: it keeps no other network away.
 */
#ifndef DEVINFO_NETWORK_DEFINITION_H
#define DEVINFO_NETWORK_DEFINITION_H

#include "base/err.h"
#include "base/host.h"
#include "conf/version.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/network/network_selection.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define RESOURCE_ANNOTATION "k8s.v1.cni.cncf.io/resourceName"

/* All is borrowed from the manifests. */
struct network_definition {
	const char *namespace;		/* NULL: a configuration alone, of every namespace */
	const char *name;
	const char *source;		/* its file, "nets.yaml#2" of several in one */
	json_t *doc;
};

struct network_definitions {
	const char *dir;		/* for messages; the caller sets it */
	/*
	 * The caller may set it: of files that have no network of such a name nothing is read.
	 * NULL: all are.
	 */
	const struct network_selections *only;
	bool isolated;			/* no error names a namespace that was not asked for */
	int root;			/* where the directory is, while it is asked */
	struct manifests from;		/* owned */
	struct network_definition *list;	/* owned; by namespace and name */
	size_t n;
	size_t bad;			/* how many files and objects were passed over */
	struct err unread;		/* the disk did not give one of them, or memory; 0: none */
};

/*
 * Read the directory below root, which d->dir is.  A definition says which programs run as root: so
 * a directory is refused that others than root may write, and such a file is passed over, as is a
 * link.  `bad` is called for what is passed over.  -1 also where there is no such directory.
 */
int network_definitions_read(int root, const char *path,
			     void (*bad)(const struct err *why, void *arg), void *arg,
			     struct network_definitions *d, struct err *e) must_check;

/* The same of anybody's files, for whoever looks and runs nothing. */
int network_definitions_look(int root, const char *path,
			     void (*bad)(const struct err *why, void *arg), void *arg,
			     struct network_definitions *d, struct err *e) must_check;

/* The same of objects that are in d->from already. */
int network_definitions_index(void (*bad)(const struct err *why, void *arg), void *arg,
			      struct network_definitions *d, struct err *e) must_check;

void network_definitions_done(struct network_definitions *d);

#define auto_network_definitions auto_with(network_definitions_done)

/* What is attached to: a definition with its configuration. */
struct network {
	const struct network_definition *by;
	const char *source;		/* where its configuration is */
	const char *name;		/* of the configuration, else the definition's */
	enum cni_version version;
	json_t *plugins;		/* owned list of objects, each with its type */
	const char *resource;		/* of its devices, by annotation or resourceName; or NULL */
	json_t *config;			/* owned; what the others borrow from */
};

/* The most plugins of one configuration. */
enum { NETWORK_PLUGINS_MAX = 16 };

/* Read the configuration of a definition.  ERR_NETCONF, with its source. */
int network_open(const struct network_definitions *d, const struct network_definition *by,
		 struct network *ret, struct err *e) must_check;

/*
 * The same for the network that a pod of the namespace means by a name.  That there is none is an
 * error, too: it says where was looked, and which name is near.
 */
int network_find(const struct network_definitions *d, const char *namespace, const char *name,
		 struct network *ret, struct err *e) must_check;

/*
 * Does a plugin of the network declare the capability for each thing that the pod asks for?  Else
 * it would be ignored, and the attachment has to fail (multi-network specification, 4.1.2).
 */
int network_check_request(const struct network *n, const struct network_selection *s,
			  struct err *e) must_check;

/*
 * May a pod of that namespace name the network, by namespaceIsolation and globalNamespaces of the
 * node's file?  The default network of DEFAULT_NETWORK_NAMESPACE, which is the administrator's, any
 * pod may.  0, or -1 with ERR_NETCONF.
 */
int network_check_namespace(const struct settings *set, const char *pod_namespace,
			    const struct network_selection *s, struct err *e) must_check;

void network_done(struct network *n);

#define auto_network auto_with(network_done)

#endif
