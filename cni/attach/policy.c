/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - which devices does the node give away, and to which drivers? */
#include "cni/attach/policy.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/aspects.h"
#include "cni/attach/host_use.h"
#include "cni/attach/taint_policy.h"
#include "devinfo/journal/device_ref.h"
#include "netlink/default_route.h"
#include "netlink/link.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_DIR		"/sys/bus/pci/devices/"
#define NET_DIR		"/sys/class/net/"
#define NEST_MAX	16	/* interfaces built on one another; the kernel allows 8 */

static const char *name_of(const struct choice *c)
{
	return *c->part ? c->part : *c->key ? c->key : c->id;
}

static int refuse_device(const struct choice *c, struct err *e, const char *fmt, ...)
	printflike(3, 4);

static int refuse_device(const struct choice *c, struct err *e, const char *fmt, ...)
{
	char why[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_DEVICE, 0, "device %.64s is not allowed: %s", name_of(c), why);
}

/* The function of a choice, or the one behind its network device; "" for none. */
static const char *function_of(const struct choice *c)
{
	return c->is_pci ? c->key : c->net.bdf;
}

/* -- what others use -- */

static int count_vf(const char *name, void *arg, struct err *e)
{
	unsigned int *n = arg;

	(void)e;
	*n += strncmp(name, "virtfn", 6) == 0 && isdigit((unsigned char)name[6]);
	return 0;
}

/* By their links: sriov_numvfs cannot be read while somebody holds the function's lock. */
static int check_vfs(const struct host *host, const struct choice *c, struct err *e)
{
	const char *bdf = *c->sf.name ? "" : function_of(c);
	char path[PATH_MAX];
	unsigned int n = 0;

	if (!*bdf)
		return 0;
	(void)snprintf(path, sizeof(path), PCI_DIR "%s", bdf);
	if (fs_each(host->root, path, count_vf, &n, e) < 0)
		return -1;
	return n == 0 ? 0 : refuse_device(c, e, "PCI function %s is a physical function with %u "
					  "VFs", bdf, n);
}

/* -- the names of a device -- */

/* "8086:1520" */
static int add_ids(const struct host *host, const char *bdf, struct choice_names *names,
		   struct err *e)
{
	char vendor[16] = "", device[16] = "", both[40];

	if (!*bdf)
		return 0;
	if (fs_read_line(host->root, vendor, sizeof(vendor), e, PCI_DIR "%s/vendor", bdf) < 0 ||
	    fs_read_line(host->root, device, sizeof(device), e, PCI_DIR "%s/device", bdf) < 0)
		return -1;
	if (strncmp(vendor, "0x", 2) != 0 || strncmp(device, "0x", 2) != 0)
		return 0;
	(void)snprintf(both, sizeof(both), "%s:%s", vendor + 2, device + 2);
	choice_add_name(names, both);
	return 0;
}

/* All that it goes by.  What this node does not know has but its id. */
static int read_names(const struct host *host, const struct choice *c, struct choice_names *ret,
		      struct err *e)
{
	*ret = (struct choice_names){ .n = 0 };
	if (!*c->key) {
		choice_add_name(ret, device_id_plain(c->id));
		return 0;
	}
	choice_add_name(ret, c->key);
	if (!c->is_pci && strcmp(c->net.bdf, c->key) != 0)
		choice_add_name(ret, c->net.bdf);
	choice_add_name(ret, c->is_pci ? c->pci.netdev : c->net.name);
	choice_add_name(ret, c->is_pci ? "" : c->net.auxiliary);
	if (add_ids(host, function_of(c), ret, e) < 0)
		return -1;
	return aspects_names(host, c, ret, e);
}

/* -- patterns -- */

/* The pattern that one of the names matches; NULL. */
static const char *find_match(const json_t *patterns, const struct choice_names *names)
{
	const json_t *v;
	size_t i;

	json_array_foreach(patterns, i, v)
		for (size_t k = 0; k < names->n; k++)
			if (fnmatch(json_string_value(v), names->name[k], FNM_CASEFOLD) == 0)
				return json_string_value(v);
	return NULL;
}

/* The alternative names that its network device has on the host: 1 when it has more, 0, -1. */
static int add_altnames(struct nl *home, const struct choice *c, struct choice_names *names,
			struct err *e)
{
	const char *name = c->is_pci ? c->pci.netdev : c->net.name;
	struct link link;
	int r = *name ? link_get_by_name(home, name, &link, e) : 0;

	for (unsigned int i = 0; r > 0 && i < link.alt.n; i++)
		choice_add_name(names, link.alt.name[i]);
	return r < 0 ? -1 : r > 0 && link.alt.more;
}

static int check_patterns(const struct host *host, struct nl *home, const struct choice *c,
			  const struct choice_names *own, struct err *e)
{
	const json_t *allow = host->set.allow_devices, *deny = host->set.deny_devices;
	struct choice_names names = *own;
	const char *match;
	int more = 0;

	if (json_array_size(allow) + json_array_size(deny) > 0)
		more = add_altnames(home, c, &names, e);
	if (more < 0)
		return -1;
	match = find_match(deny, &names);
	if (match) {
		log_info("msg=\"device denied\" device=%s pattern=\"%s\"", name_of(c), match);
		return refuse_device(c, e, "it matches denyDevices of the node's file");
	}
	if (more && json_array_size(deny) > 0)
		return refuse_device(c, e, "it has over %d alternative names, of which denyDevices "
				     "of the node's file may mean one", ALTNAMES_MAX);
	return json_array_size(allow) == 0 || find_match(allow, &names) ?
		       0 : refuse_device(c, e, "it matches nothing in allowDevices of the node's "
					 "file");
}

/* -- what the host uses itself -- */

struct walk {
	const struct host *host;
	const struct choice *c;
	const struct choice_names *names;
	const char *route;		/* the interface that has the route */
	int depth;
};

static bool has_name(const struct choice_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->name[i], name) == 0)
			return true;
	return false;
}

/* Its function, or sub-function, may have several network devices. */
static bool is_of_choice(const struct walk *w, const struct net_device *net)
{
	return has_name(w->names, net->name) || (*net->bdf && strcmp(net->bdf, w->c->key) == 0) ||
	       (*net->auxiliary && strcmp(net->auxiliary, w->c->key) == 0);
}

static int check_interface(struct walk *w, const char *name, struct err *e);

static int check_lower(const char *name, void *arg, struct err *e)
{
	struct walk *w = arg;
	int r = 0;

	if (strncmp(name, "lower_", 6) != 0 || w->depth == NEST_MAX)
		return 0;
	w->depth++;
	r = check_interface(w, name + 6, e);
	w->depth--;
	return r;
}

/* It, and what it is built on: the ports of a bridge or bond, what a VLAN's frames leave by. */
static int check_interface(struct walk *w, const char *name, struct err *e)
{
	struct net_device net;
	char path[PATH_MAX];
	int r = sysfs_netdev(w->host, name, &net, e);

	if (r <= 0)
		return r;
	if (is_of_choice(w, &net))
		return w->depth == 0 ? refuse_device(w->c, e, "a default route of the host leaves "
						     "by %s", name) :
				       refuse_device(w->c, e, "a default route of the host leaves "
						     "by %s, which is built on %s", w->route, name);
	(void)snprintf(path, sizeof(path), NET_DIR "%s", name);
	return fs_each(w->host->root, path, check_lower, w, e);
}

static int check_route(const struct walk *all, struct nl *home, uint32_t ifindex, struct err *e)
{
	struct walk w = *all;
	struct link link;
	int r = link_get_by_index(home, (int)ifindex, &link, e);

	if (r <= 0)	/* gone meanwhile */
		return r;
	w.route = link.name;
	return check_interface(&w, link.name, e);
}

/* Is this interface up, or can that not be told?  One that is down has no routes. */
static int is_up(const char *name, void *arg, struct err *e)
{
	const struct host *host = arg;
	char flags[16];
	int r = fs_read_line(host->root, flags, sizeof(flags), e, NET_DIR "%s/flags", name);

	return r < 0 ? -1 : r == 0 || strtoul(flags, NULL, 16) & IFF_UP;
}

/* Of its function's, sub-function's or its own interfaces none is up: 1, 0, -1. */
static int is_idle(const struct host *host, const struct choice *c, struct err *e)
{
	void *arg = (void *)(uintptr_t)host;
	const char *bdf = function_of(c);
	char path[PATH_MAX];
	int r;

	if (!*bdf && c->link.ifindex)
		return !(c->link.flags & IFF_UP);
	if (!*bdf || *c->sf.name || *c->part)
		return *c->net.name ? (r = is_up(c->net.name, arg, e)) < 0 ? -1 : !r : 0;
	(void)snprintf(path, sizeof(path), PCI_DIR "%s/net", bdf);
	r = fs_each(host->root, path, is_up, arg, e);
	return r < 0 ? -1 : r == 0;
}

static int check_use(const struct host *host, struct nl *home, const struct choice *c,
		     struct err *e)
{
	char why[256];
	int r = host_use_find(host, home, c, why, sizeof(why), e);

	if (r <= 0)
		return r;
	(void)refuse_device(c, e, "%s", why);
	return err_detail(e, "take it off, or say allowAddressed in the node's file");
}

static int check_routes(const struct host *host, struct nl *home, const struct choice *c,
			const struct choice_names *names, struct err *e)
{
	const struct walk w = { .host = host, .c = c, .names = names };
	auto_default_routes struct default_routes routes = { 0 };
	int idle = *c->key ? is_idle(host, c, e) : 1;

	if (idle != 0)		/* as most VFs are: no dump of all routes then */
		return idle < 0 ? -1 : 0;
	if (default_routes_get(home, &routes, e) < 0)
		return -1;
	for (size_t i = 0; i < routes.n; i++)
		if (check_route(&w, home, routes.ifindex[i], e) < 0)
			return -1;
	return host->set.allow_addressed ? 0 : check_use(host, home, c, e);
}

/* -- what kubelet gave -- */

/* That a device is behind an interface of the pod does not make it one that the pod may have. */
static int check_pod(const struct host *host, const struct cni_call *call, const struct choice *c,
		     struct err *e)
{
	int r;

	if (!host->set.only_kubelets || c->vouched || (*c->path && !*c->id))
		return 0;
	if (!call->pod_name || !call->pod_namespace)
		return refuse_device(c, e, "devices of the node's file is \"kubelet\", and "
				     "CNI_ARGS name no pod (K8S_POD_NAMESPACE, K8S_POD_NAME)");
	r = choose_is_of_pod(host, call, c, e);
	return r == 0 ? refuse_device(c, e, "devices of the node's file is \"kubelet\", and "
				      "kubelet did not give it to pod %.64s/%.64s",
				      call->pod_namespace, call->pod_name) :
	       r < 0  ? -1 :
			0;
}

int policy_check_device(const struct host *host, const struct cni_call *call, struct nl *home,
			const struct choice *c, struct err *e)
{
	struct choice_names names;

	if (*c->path)		/* no device of the node */
		return check_pod(host, call, c, e);
	if (check_vfs(host, c, e) < 0 || read_names(host, c, &names, e) < 0 ||
	    check_patterns(host, home, c, &names, e) < 0 || taint_policy_check(host, c, e) < 0 ||
	    check_routes(host, home, c, &names, e) < 0)
		return -1;
	return check_pod(host, call, c, e);
}
