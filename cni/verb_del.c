/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_del.c - DEL: from the record alone
 *
 * Neither CNI_NETNS, prevResult, CNI_ARGS nor the configuration beyond cniVersion and name are
 * needed, for engines send them stripped, stale or not at all.
 */
#include "cni/verb.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/info_name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/delegate_policy.h"
#include "cni/attach/release.h"
#include "cni/call/status.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "cni/sriovcni/takeover.h"
#include "conf/keys.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/journal.h"
#include "netlink/link.h"
#include "netlink/netns.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define UNKNOWN_MS	5000	/* for plugins that are asked of what is in no record */
#define IB_SRIOV_STATE	"/var/lib/cni/ib-sriov-cni"

/* Not our own namespace, nor what is none: that some plugins wait for, or make a file of. */
static bool names_container(const struct cni_call *call)
{
	auto_close int fd = -1;
	struct err ignored;

	return netns_open(call->netns, &fd, &ignored) > 0 &&
	       (call->netns_override || !netns_is_own(fd));
}

/* One that refuses has nothing, most likely; one that hangs may have. */
static void tell_failure(const char *plugin, const struct err *e)
{
	if (e->sys == ETIMEDOUT)
		log_warning("msg=\"no record, and no answer of %s in time: what it may have "
			    "stays\" error=\"%s\" details=\"%s\"", plugin, e->msg, e->details);
	else
		log_info("msg=\"no record, and no answer of %s\" error=\"%s\"", plugin, e->msg);
}

static void release_lease(const struct verb_input *in, const char *type, const struct exec_as *as,
			  const struct deadline *d)
{
	struct ipam lease = {
		.type = type,
		.cni_path = in->host->set.cni_path,
		.request = in->request,
		.timeout_ms = in->host->set.ipam_timeout_ms,
		.all = d,
		.steps = in->conf->delegates ? 2 : 1,
		.as = as,
	};
	struct err e;

	if (ipam_del(&lease, &e) < 0)
		tell_failure("the IPAM plugin", &e);
}

/* The file that the call names, unless it is that of another attachment: "". */
static void own_info(const struct verb_input *in, const struct journal *j, const struct owner *o,
		     char ret[PATH_MAX])
{
	const char *given = in->conf->device_info_file;
	struct err ignored;
	char name[256];

	*ret = '\0';
	if (given && info_name_make(in->host, given, o, name, &ignored) == 0 &&
	    info_name_lock(in->host, j, o, name))
		store_cni_path(in->host->set.devinfo_dir, name, ret);
}

static void release_delegates(const struct verb_input *in, const struct journal *j,
			      const struct owner *o, const struct exec_as *as,
			      const struct deadline *d)
{
	const char *id = in->conf->device_id;
	char info[PATH_MAX];
	struct chain c = {
		.conf = in->conf,
		.cni_path = in->host->set.cni_path,
		.device_id = id,
		.id_is_netdev = id && device_ref_is_netdev(in->host, id),
		.info_path = info,
		.timeout_ms = in->host->set.ipam_timeout_ms,
		.as = as,
	};
	struct chain_progress p = { .left = chain_all(in->conf) };
	struct err e;

	own_info(in, j, o, info);
	if (chain_del(&c, NULL, &p, d, &e) < 0)
		tell_failure("a plugin", &e);
}

static bool has_interface(const struct exec_as *as)
{
	auto_nl struct nl pod = { 0 };
	auto_close int fd = -1;
	struct link link;
	struct err e;

	return netns_open(as->netns, &fd, &e) > 0 && nl_open(fd, NETLINK_ROUTE, &pod, &e) == 0 &&
	       link_get_by_name(&pod, as->ifname, &link, &e) != 0;
}

/* Found by their names alone. */
static void release_files_by_name(const struct verb_input *in, const struct journal *j,
			  const struct owner *o)
{
	char name[256];
	struct err e;

	if (status_remove(in->host, j, o, &e) < 0)
		log_warning("msg=\"no record, and an entry is left\" error=\"%s\"", e.msg);
	if (store_cni_name(o->network, o->container_id, o->ifname, name, &e) < 0 ||
	    store_remove_cni(in->host, name, &e) < 0)
		log_warning("msg=\"no record, and a file is left\" error=\"%s\"", e.msg);
}

/* Whoever links its name to us is told what that costs: its records are not read. */
static void warn_of_ib_sriov(const struct verb_input *in, const struct owner *o)
{
	struct err e;

	if (fs_exists(in->host->root, &e, IB_SRIOV_STATE "/%s-%s", o->container_id, o->ifname) > 0)
		log_warning(
			"msg=\"made by ib-sriov-cni, and not released: its VF keeps its GUID and "
			"its name\" directory=" IB_SRIOV_STATE);
}

/* What outlives its record. */
static void release_lasting(const struct verb_input *in, const struct owner *o)
{
	struct err e;

	if (aspects_forget(in->host, in->conf, o, &e) < 0)
		log_warning("msg=\"no record, and a port may be left\" error=\"%s\" details=\"%s\"",
			    e.msg, e.details);
}

/* As the plugin reads it; the configuration may be one that no ADD was allowed. */
static const char *ipam_type(const struct netconf *nc)
{
	json_t *ipam = json_object_get(nc->doc, "ipam");

	keys_fold(ipam, "ipam");
	return json_string_value(json_object_get(ipam, "type"));
}

/* The configuration of this call need not be that of an ADD that was allowed. */
static bool may_ask_plugins(const struct verb_input *in)
{
	struct err e;

	if (delegate_policy_check_plugins(in->host, in->conf, &e) == 0)
		return true;
	log_warning("msg=\"no record, and its plugins are not asked\" error=\"%s\" details=\"%s\"",
		    e.msg, e.details);
	return false;
}

/*
 * There is no record, or it is damaged.  Other plugins may know more: they are asked, and what they
 * say is only logged, for a stripped configuration fails there too.
 */
static void release_unknown(const struct verb_input *in, const struct journal *j,
			    const struct owner *o)
{
	const char *type = ipam_type(in->conf);
	const struct deadline d = deadline_in(UNKNOWN_MS);
	struct exec_as as = {
		.container_id = in->call->container_id,
		.netns = names_container(in->call) ? in->call->netns : "",
		.ifname = in->call->ifname,
	};
	bool added, whole, may_ask;
	struct err e;

	warn_of_ib_sriov(in, o);
	added = status_get(in->host, o, NULL, &e) > 0;
	if (added)	/* network-status is written last, and goes before the record */
		log_warning("msg=\"the record of this attachment is lost or damaged: its device is "
			    "not put back as it was before the ADD\"");
	added |= j->damaged;
	release_files_by_name(in, j, o);
	whole = netconf_check(in->conf, &e) == 0;
	may_ask = may_ask_plugins(in);
	if (may_ask && type && *type)
		release_lease(in, type, &as, &d);
	if (!whole)
		return;
	release_lasting(in, o);
	if (!may_ask || !in->conf->delegates)
		return;
	/*
	 * Engines follow a refused ADD by a DEL, and the interface that it was refused for is not
	 * theirs to delete.  A prevResult, or a record that is damaged, tells of an ADD that was
	 * not.
	 */
	if (added || in->conf->prev_result || !has_interface(&as))
		release_delegates(in, j, o, &as, &d);
}

/*
 * containerd takes a DEL whose error has these words for done, and forgets it.  Another plugin,
 * whose error we pass on, does not know that.
 */
static void reword(char *text)
{
	static const char *const words[][2] = {	/* of the same length */
		{ "not found", "not there" },
		{ "no such file or directory", "file or directory missing" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (char *p = text; (p = strstr(p, words[i][0]));)
			memcpy(p, words[i][1], strlen(words[i][1]));
}

/* All there is of the attachment: 1, 0 when there was nothing, -1. */
static int release_known(const struct verb_input *in, struct journal *j, const struct owner *o,
			 struct err *e)
{
	const struct release_call call = {
		.request = in->request,
		.ipam_type = ipam_type(in->conf),
		.confines = true,
	};
	bool done = false;
	int r = j->dir >= 0;

	/* more than one was left when an ADD was killed just while it gave its record another name
	 */
	while (r == 1 && (r = release_owner(in->host, j, o, &call, e)) > 0)
		done = true;
	return r < 0 ? -1 : done;
}

/* What sriov-cni made is ours before it ends; what is ours already ends even if that fails. */
static int release_all(const struct verb_input *in, struct journal *j, const struct owner *o,
		       struct err *e)
{
	struct takeover a = { .host = in->host, .journal = j, .conf = in->conf,
			      .cni_path = in->call->path, .lock = -1 };
	struct err why;
	int taken = takeover_attachment(&a, o, &why), r = release_known(in, j, o, e);

	mem_close_fd(&a.lock);
	if (taken < 0 && r >= 0)
		*e = why;
	return taken < 0 ? -1 : r;
}

struct elsewhere {
	const struct verb_input *in;
	const struct owner *owner;
	unsigned int damaged;		/* as of struct journal */
};

static int release_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct elsewhere *w = arg;
	struct verb_input in = *w->in;
	int r;

	in.host = there;
	r = release_known(&in, j, w->owner, e);
	w->damaged += j->damaged;
	if (r > 0)
		log_info("msg=\"released by a record in an earlier stateDir\" directory=%s",
			 there->set.state_dir);
	return r;
}

/* Where the node's own journal does not know it, that of an earlier stateDir may. */
static int release_earlier(const struct verb_input *in, struct journal *own, const struct owner *o,
			   struct err *e)
{
	struct elsewhere w = { .in = in, .owner = o };
	int r = earlier_each(in->host, JOURNAL_UPDATE, release_there, &w, e);

	own->damaged += w.damaged;
	return r;
}

int verb_del(const struct verb_input *in, struct err *e)
{
	const struct owner owner = {
		.network = in->conf->name,
		.container_id = in->call->container_id,
		.ifname = in->call->ifname,
		.netns = in->call->netns,
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	int r = journal_open(in->host, JOURNAL_UPDATE, &j, e);

	if (r >= 0)
		r = release_all(in, &j, &owner, e);
	if (r == 0)
		r = release_earlier(in, &j, &owner, e);
	if (j.damaged)
		log_warning("msg=\"its record is damaged: what only that tells is not restored, "
			    "see devinfo(8)\" network=%s", in->conf->name);
	if (r == 0)
		release_unknown(in, &j, &owner);
	else if (r > 0)
		log_info("msg=\"detached\" network=%s", in->conf->name);
	if (r < 0) {
		reword(e->msg);
		reword(e->details);
	}
	return r < 0 ? -1 : 0;
}
