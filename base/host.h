/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the world as a parameter
 *
 * No absolute path is opened except below host.root, which is "/" on a node and
 * a recorded tree in a test.  The settings say where everything lies below it.
 * Strings are borrowed from the configuration or from constants and outlive the call.
 */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include "base/err.h"
#include "base/log.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct settings {
	const char *devinfo_dir;	/* holds dp/ and cni/; device-info spec, section 4 */
	const char *state_dir;		/* the journal */
	const char *run_dir;		/* network-status files */
	const char *kubelet_socket;	/* PodResources */
	const char *kubelet_dir;	/* its checkpoint, and what DRA drivers leave */
	const char *sriov_state_dir;	/* sriov-cni's records */
	const char *socket_dir;		/* directories of vhost-user and memif sockets */
	const json_t *host_dirs;	/* patterns: what of it networks may name; NULL: none */
	uint64_t socket_dir_max_bytes;	/* of what is below one name there; 0: no bound */
	uint64_t socket_dir_max_inodes;
	const char *switch_dir;		/* where a switch sees socket_dir; NULL: there */
	const char *ovs_db;		/* socket of Open vSwitch's database */
	const char *ovs_socket_dir;	/* where OVS makes sockets; NULL: its database says so */
	const json_t *switch_programs;	/* paths; NULL: none */
	bool only_kubelets;		/* a pod has what kubelet gave it, and nothing else */
	bool allow_addressed;		/* also a device that the host has addresses on */
	const json_t *allow_devices, *deny_devices;	/* patterns; NULL: all, none */
	const json_t *drivers;		/* for user space; NULL: see cni/attach/policy.c */
	const json_t *allow_plugins;	/* that networks may name; NULL: any */
	const char *node_name;		/* in the cluster; NULL: see host_node_name() */
	const char *overrides_dir;	/* what administrators say of devices */
	bool overrides;			/* false: nothing of it counts */
	bool refuse_tainted;		/* an ADD refuses a device with such a taint... */
	const json_t *tolerate;		/* ...but for these; NULL: none */
	const char *cni_path;		/* CNI_PATH of the call, else the node's */
	const json_t *pod_may_override;	/* keys of args.cni; NULL: none */
	const char *log_file;		/* the node's; NULL: stderr */
	const char *log_dir;		/* what networks wish for is below it */
	const char *wanted_log_file;	/* a network's wish; NULL: none */
	enum log_level log_level, wanted_log_level;	/* the node's, and the network's wish */
	const char *odd_log_level, *odd_log_file;	/* said, and not used; NULL: none */
	unsigned int podres_timeout_ms;
	unsigned int lock_timeout_ms;
	unsigned int ipam_timeout_ms;
	unsigned int add_timeout_ms;	/* all of an ADD, its roll-back included */
	unsigned int del_timeout_ms;	/* all of a DEL, or of a CHECK */
	unsigned int gc_timeout_ms;
};

extern const struct settings settings_default;

struct earlier;

struct host {
	int root;			/* O_PATH descriptor; symbolic links stay inside it */
	struct settings set;
	/*
	 * Of a recorded node what its sockets and namespaces would say, in place of ours; borrowed,
	 * in the form of manager/inventory/facts.h.  NULL: they are asked.
	 */
	json_t *facts;
	/* Directories of earlier settings, devinfo/journal/earlier.h; borrowed.  NULL: none. */
	const struct earlier *earlier;
	/* Of a host with the directories of earlier settings the node's own; NULL: set is these. */
	const struct settings *own;
};

/* Open the root ("/" when NULL) and take the default settings. */
int host_open(const char *root, struct host *ret, struct err *e) must_check;
void host_done(struct host *h);

#define auto_host auto_with(host_done)

/* What the node is called in the cluster: by its setting, else, as kubelet has it, by its host. */
enum { NODE_NAME_SIZE = 254 };
int host_node_name(const struct host *h, char ret[NODE_NAME_SIZE], struct err *e) must_check;

#endif
