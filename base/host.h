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
	const char *kubelet_dir;	/* its checkpoint, and DRA drivers' metadata files */
	const char *sriov_state_dir;	/* sriov-cni's records */
	const char *socket_dir;		/* directories of vhost-user and memif sockets */
	const json_t *host_dirs;	/* patterns; networks may name these of it; NULL: none */
	uint64_t socket_dir_max_bytes;	/* limit of what is below one name there; 0: none */
	uint64_t socket_dir_max_inodes;
	const char *switch_dir;		/* where a switch sees socket_dir; NULL: there */
	const char *ovs_db;		/* socket of Open vSwitch's database */
	const char *ovs_socket_dir;	/* where OVS makes sockets; NULL: its database says so */
	const json_t *switch_programs;	/* paths; NULL: none */
	bool only_kubelets;		/* a pod may have only devices that kubelet gave it */
	bool allow_addressed;		/* also devices on which the host has addresses */
	const json_t *allow_devices, *deny_devices;	/* patterns; NULL: all, none */
	const json_t *drivers;		/* for user space; NULL: see cni/attach/policy.c */
	const json_t *allow_plugins;	/* that networks may name; NULL: any */
	const json_t *ipam_in_parallel;	/* NULL: see cni/attach/delegate_policy.c */
	const char *node_name;		/* in the cluster; NULL: see host_node_name() */
	const char *overrides_dir;	/* manifests with overrides of devices */
	bool overrides;			/* false: overrides_dir is ignored */
	bool refuse_tainted;		/* an ADD refuses a device with such a taint... */
	const json_t *tolerate;		/* ...but for these; NULL: none */
	bool require_carrier;		/* devinfod: a PF without carrier is not healthy */
	bool reset_before_start;	/* devinfod: of devices that no attachment has */
	const char *networks_dir;	/* definitions of networks for pods; NULL: none */
	bool namespace_isolation;	/* a pod may name those of its own namespace... */
	const json_t *global_namespaces;	/* ...and of these; NULL: "default" */
	const char *cni_path;		/* CNI_PATH of the call, else the node's */
	const json_t *pod_may_override;	/* keys of args.cni; NULL: none */
	const char *log_file;		/* the node's; NULL: stderr */
	const char *log_dir;		/* networks' log files are below it */
	const char *wanted_log_file;	/* a network's wish; NULL: none */
	enum log_level log_level, wanted_log_level;	/* the node's, and the network's wish */
	const char *odd_log_level, *odd_log_file;	/* values that were refused; NULL: none */
	unsigned int podres_timeout_ms;
	unsigned int lock_timeout_ms;
	unsigned int ipam_timeout_ms;
	unsigned int add_timeout_ms;	/* all of an ADD, its roll-back included */
	unsigned int del_timeout_ms;	/* all of a DEL, or of a CHECK */
	unsigned int gc_timeout_ms;
	unsigned int gc_interval_s;	/* devinfod releases the dead so often; 0: never */
	const char *metrics_address;	/* devinfod tells them there; NULL: nowhere */
	const char *metrics_file;	/* and writes them there; NULL: nowhere */
};

extern const struct settings settings_default;

struct earlier;

struct host {
	int root;			/* O_PATH descriptor; symbolic links stay inside it */
	struct settings set;
	/*
	 * A recorded node's answers, used in place of our sockets and namespaces; borrowed, in the
	 * form of manager/inventory/facts.h.  NULL: this machine is asked.
	 */
	json_t *facts;
	/*
	 * The directories of earlier settings, see devinfo/journal/earlier.h; borrowed.  NULL:
	 * none.
	 */
	const struct earlier *earlier;
	/*
	 * The node's own settings, when `set` has the directories of earlier ones; NULL: set is the
	 * node's.
	 */
	const struct settings *own;
};

/* Open the root ("/" when NULL) and take the default settings. */
int host_open(const char *root, struct host *ret, struct err *e) must_check;
void host_done(struct host *h);

#define auto_host auto_with(host_done)

/*
 * Get the node's name in the cluster: the setting nodeName, else, as kubelet does, the host name.
 */
enum { NODE_NAME_SIZE = 254 };
int host_node_name(const struct host *h, char ret[NODE_NAME_SIZE], struct err *e) must_check;

#endif
