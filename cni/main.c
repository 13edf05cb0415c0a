/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - environment and stdin in, one JSON document out; the only exit
 *
 * Order of the checks: that we are not run by ourselves; then as the CNI specification and its
 * library have it: the verb, stdin, name and version, whether that version has the verb, then the
 * variables.
 */
#include "base/deadline.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/tables.h"
#include "cni/call/call.h"
#include "cni/call/process.h"
#include "cni/call/result.h"
#include "cni/plugins/exec.h"
#include "cni/pod/pod.h"
#include "cni/verb.h"
#include "conf/netconf.h"
#include "conf/node.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/journal.h"
#include "devinfo/tally/tally.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define STDIN_MS	5000	/* how long the engine may take to write the configuration */
#define VERSION_MS	200	/* the same for VERSION, which can do without */

/* Wait for more of stdin: an engine that keeps it open for ever does not keep us. */
static int await_stdin(struct deadline *d, struct err *e)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return deadline_poll_in(d, STDIN_MS, &p, 1) ?
		       0 : deadline_error(ERR_IO, e, "read the configuration from stdin");
}

/* All of stdin, NUL-terminated, owned by the caller. */
static char *read_stdin(size_t *len, struct err *e)
{
	struct deadline d = { .at_ms = 0 };
	size_t size = 65536, n = 0;
	auto_free char *buf = malloc(size);
	ssize_t r = 1;

	while (buf && r > 0) {
		if (await_stdin(&d, e) < 0)
			return NULL;
		r = read(STDIN_FILENO, buf + n, size - n - 1);
		if (r < 0) {
			(void)err_set(e, ERR_IO, errno, "read the configuration from stdin");
			return NULL;
		}
		n += (size_t)r;
		if (n > NETCONF_MAX) {
			(void)err_set(e, ERR_DECODE, EFBIG,
				      "the configuration on stdin is over %d bytes", NETCONF_MAX);
			return NULL;
		}
		if (size - n < 4096) {
			char *more = realloc(buf, size *= 2);

			if (!more)
				free(steal_ptr(&buf));
			else
				buf = more;
		}
	}
	if (!buf) {
		(void)err_set(e, ERR_IO, ENOMEM, "read the configuration from stdin");
		return NULL;
	}
	buf[n] = '\0';
	*len = n;
	return steal_ptr(&buf);
}

static int version_allows(enum verb verb, enum cni_version version, struct err *e)
{
	if ((verb == VERB_CHECK && version < CNI_0_4_0) ||
	    ((verb == VERB_GC || verb == VERB_STATUS) && version < CNI_1_1_0))
		return err_set(e, ERR_VERSION, 0, "config version does not allow %s",
			       verb_name(verb));
	return 0;
}

static int run_verb(const struct verb_input *in, struct err *e)
{
	static int (*const verbs[VERBS])(const struct verb_input *in, struct err *e) = {
		[VERB_ADD] = verb_add, [VERB_DEL] = verb_del, [VERB_CHECK] = verb_check,
		[VERB_GC] = verb_gc, [VERB_STATUS] = verb_status,
		[VERB_VERSION] = NULL,	/* is answered without a configuration */
	};

	return verbs[in->call->verb](in, e);
}

/*
 * The journal of a node's file that is wrong may be another: a DEL must not look into this one.  Of
 * a file that is no JSON at all the directories are those of the latest ADD, as far as these are
 * noted.
 */
static bool has_state_dir(const struct node *node, const struct host *host)
{
	const json_t *v = json_object_get(node->doc, "stateDir");
	const char *dir = json_string_value(v);

	if (node->lost)
		return host->earlier->list || !node->lost_dirs;
	return !v || json_is_null(v) ||
	       (dir && (!*dir || strcmp(dir, node->set.state_dir) == 0));
}

/* A bad setting is an error, but for DEL: nobody is helped by a pod that cannot end. */
static int judge(const struct verb_input *in, const struct node *node, const struct err *why,
		 struct err *e)
{
	if (why->code == ERR_OK)
		return 0;
	if (in->call->verb == VERB_DEL && has_state_dir(node, in->host)) {
		log_warning("msg=\"%s\" details=\"%s\"", why->msg, why->details);
		return 0;
	}
	*e = *why;
	return -1;
}

/*
 * What a network says of the log takes nothing from the administrator's: a level may only tell more
 * there, and a file of the network's gets it as well.
 */
static void open_log(const struct host *host)
{
	const struct settings *set = &host->set;
	enum log_level wanted = set->wanted_log_level;
	struct err e;

	log_set_level(wanted > set->log_level ? wanted : set->log_level);
	if (set->log_file && log_open(host->root, set->log_file, &e) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e.msg, e.details);	/* stderr, then */
	if (set->wanted_log_file) {
		if (log_open_below(host->root, set->log_dir, set->wanted_log_file, wanted, &e) == 0)
			log_set_level(set->log_level);
		else
			log_warning("msg=\"the network's logFile is not used: %s\" details=\"%s\"",
				    e.msg, e.details);
	}
	if (set->odd_log_level)
		log_warning("msg=\"logLevel is not known, and not used\" value=%s",
			    set->odd_log_level);
	if (set->odd_log_file)
		log_warning("msg=\"logFile is not an absolute path, and not used\" value=%s",
			    set->odd_log_file);
}

/*
 * What all of the call may take, by the settings as far as they are known.  Of an ADD a fifth is
 * kept for its roll-back; a twentieth of any is for the end of a program that has to be killed.
 */
static void limit_time(enum verb verb, const struct settings *set)
{
	const char *name = verb == VERB_ADD ? "addTimeoutMs" :
			   verb == VERB_GC  ? "gcTimeoutMs" : "delTimeoutMs";
	unsigned int ms = verb == VERB_ADD ? set->add_timeout_ms :
			  verb == VERB_GC  ? set->gc_timeout_ms : set->del_timeout_ms;

	deadline_limit(name, ms - ms / 20, verb == VERB_ADD ? ms / 5 : 0);
}

static void at_least(unsigned int *ms, unsigned int least)
{
	*ms = *ms < least ? least : *ms;
}

/* With less than the node gives a tenant's DEL could fail for ever, and its device stay taken. */
static void keep_node_limits(const struct settings *node, struct settings *ret)
{
	at_least(&ret->ipam_timeout_ms, node->ipam_timeout_ms);
	at_least(&ret->del_timeout_ms, node->del_timeout_ms);
	at_least(&ret->gc_timeout_ms, node->gc_timeout_ms);
}

/* A call, with the node that it is about. */
struct serving {
	const struct node *node;
	const struct host *host;	/* as the node's file says */
	bool is_one;			/* an attachment of several: cni/pod has done its part */
};

static int serve_attachment(enum verb verb, const char *text, const struct cni_attachment *of,
			    void *arg);

/* First what is about all networks of a pod. */
static int run(const struct serving *s, const struct verb_input *in, struct err *e)
{
	const struct pod_call pod = {
		.host = in->host, .call = in->call, .conf = in->conf,
		.serve = serve_attachment, .arg = (void *)(uintptr_t)s,
	};
	int r = s->is_one ? 0 : pod_verb(&pod, e);
	struct err of_pods;

	if (r >= 0)
		return r == 0 ? run_verb(in, e) : 0;
	if (in->call->verb == VERB_GC) {	/* one does not keep the other from its end */
		of_pods = *e;
		*e = (struct err){ .code = ERR_OK };
		if (run_verb(in, e) == 0)
			*e = of_pods;
		else
			err_join(e, &of_pods);
	}
	return -1;
}

/* Over what the node says, what the network does. */
static int with_network(const struct serving *s, const struct cni_call *call, struct netconf *nc,
			const char *text, struct err *e)
{
	struct err of_node = { .code = ERR_OK }, of_network = { .code = ERR_OK };
	struct host host = *s->host;	/* borrows */
	struct verb_input in = { .host = &host, .call = call, .conf = nc, .request = text };

	if (s->node->wrong)
		of_node = s->node->why;
	if (*call->path)
		host.set.cni_path = call->path;
	if (netconf_settings(nc, &host.set, &of_network) == 0)
		of_network.code = ERR_OK;
	if (call->verb == VERB_DEL || call->verb == VERB_GC)
		keep_node_limits(&s->node->set, &host.set);
	limit_time(call->verb, &host.set);
	open_log(&host);	/* which what follows is told to */
	if (judge(&in, s->node, &of_node, e) < 0 || judge(&in, s->node, &of_network, e) < 0)
		return -1;
	return run(s, &in, e);
}

static int with_host(const struct cni_call *call, struct netconf *nc, const char *text,
		     struct err *e)
{
	auto_earlier struct earlier earlier = { .list = NULL };
	auto_node struct node node = { 0 };
	auto_host struct host host = { 0 };
	const struct serving s = { .node = &node, .host = &host };
	uint64_t begin = tally_now();
	int r;

	log_context(call->container_id, call->ifname);
	if (node_read(getenv("DEVINFO_CONF"), &node, e) < 0 || host_open(node.root, &host, e) < 0)
		return -1;
	host.set = node.set;
	earlier_read(&host, node.root ? NULL : getenv("DEVINFO_CONF"), &earlier);
	host.earlier = &earlier;
	if (node.lost)
		(void)earlier_take_last(&earlier, &host.set);
	r = with_network(&s, call, nc, text, e);
	tally_note(&host, verb_name(call->verb), r < 0 ? e->code : ERR_OK, tally_now() - begin);
	return r;
}

/* What VERSION was asked in, or the latest; a bad stdin does not matter. */
stack_of_its_own static enum cni_version version_asked(const char *text, size_t len)
{
	enum cni_version v = CNI_VERSIONS - 1;
	json_auto_t *o = NULL;
	struct err ignored;
	const char *asked;

	jx_init(result_last_words);
	o = jx_parse(text, len, ERR_DECODE, "stdin", &ignored);
	asked = json_string_value(json_object_get(o, "cniVersion"));
	return asked && cni_version_parse(asked, &v, &ignored) == 0 ? v : CNI_VERSIONS - 1;
}

at_start stack_of_its_own static int answer_version(struct err *e)
{
	static char text[4096];		/* a page that an empty stdin does not touch */
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	struct deadline d = { .at_ms = 0 };
	ssize_t n = 0;

	/* not O_NONBLOCK: the description may be a terminal's, and its shell's as well */
	if (deadline_poll_in(&d, VERSION_MS, &p, 1))
		n = read(STDIN_FILENO, text, sizeof(text));
	return result_print_version(n > 0 ? version_asked(text, (size_t)n) : CNI_VERSIONS - 1, e);
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

static void warn_of_damage(const struct journal_bad *bad)
{
	if (bad->unread) {
		log_warning("msg=\"a record is passed over: it cannot be read\" file=%s device=%s "
			    "why=\"%s\"", bad->file, or_unknown(bad->device), bad->why);
		return;
	}
	log_warning("msg=\"a damaged record is put aside: its device is given to nobody until the "
		    "file is repaired or removed, see devinfo(8)\" file=%s device=%s network=%s "
		    "container=%s interface=%s why=\"%s\"", bad->file, or_unknown(bad->device),
		    or_unknown(bad->network), or_unknown(bad->container_id),
		    or_unknown(bad->ifname), bad->why);
}

static int read_call(enum verb verb, const char *text, size_t len, struct netconf *nc,
		     struct cni_call *call, struct err *e)
{
	int parsed = netconf_parse(text, len, nc, e);

	result_use_version(nc->version);
	return parsed < 0 || version_allows(verb, nc->version, e) < 0 ?
		       -1 : call_from_env(verb, call, e);
}

/* All verbs but VERSION. */
stack_of_its_own static int serve(enum verb verb, struct err *e)
{
	auto_netconf struct netconf nc = { 0 };
	auto_call struct cni_call call = { 0 };
	auto_free char *text = NULL;
	size_t len;

	journal_on_aside(warn_of_damage);
	limit_time(verb, &settings_default);
	text = read_stdin(&len, e);
	return !text || read_call(verb, text, len, &nc, &call, e) < 0 ?
		       -1 : with_host(&call, &nc, text, e);
}

/* The network of an attachment is its definition, whatever name its plugins are told. */
static int answer_attachment(const struct serving *s, enum verb verb, const char *text,
			     const struct cni_attachment *of, struct err *e)
{
	auto_netconf struct netconf nc = { 0 };
	auto_call struct cni_call call = { 0 };

	if (read_call(verb, text, strlen(text), &nc, &call, e) < 0)
		return -1;
	call.of_pod = of;
	if (*of->definition)
		nc.name = strchr(of->definition, '/') + 1;
	return with_network(s, &call, &nc, text, e);
}

/*
 * Everything but the exit status.  VERSION comes first, and does without constants that have
 * pointers (base/tables.h); an error of any kind is told by a process that is set up.
 */
static int answer(struct err *e)
{
	enum verb verb = VERBS;
	int known = exec_check_depth(e) < 0 ? -1 : call_verb(&verb, e);

	if (known == 0 && verb == VERB_VERSION)
		return answer_version(e);
	tables_set();
	process_set_up();
	log_context(getenv("CNI_CONTAINERID"), getenv("CNI_IFNAME"));
	return known < 0 ? -1 : serve(verb, e);
}

/* All words: those that the caller is not told stand in the log alone. */
static void log_failure(const struct err *e)
{
	if (*e->private)
		log_error("msg=\"%s\" code=%d details=\"%s\" private=\"%s\"", e->msg, (int)e->code,
			  e->details, e->private);
	else
		log_error("msg=\"%s\" code=%d details=\"%s\"", e->msg, (int)e->code, e->details);
}

/* The exit status of a call. */
static int finish(int r, const struct err *e)
{
	if (r == 0)
		return 0;
	tables_set();			/* a VERSION may have done without */
	jx_init(result_last_words);
	log_failure(e);
	result_print_error(e);
	return 1;
}

static int serve_attachment(enum verb verb, const char *text, const struct cni_attachment *of,
			    void *arg)
{
	const struct serving *all = arg;
	const struct serving s = { .node = all->node, .host = all->host, .is_one = true };
	struct err e = { .code = ERR_OK };

	return finish(answer_attachment(&s, verb, text, of, &e), &e);
}

int main(int argc, char **argv)
{
	struct err e = { .code = ERR_OK };

	process_set_up_files();
	if (argc == 2 && strcmp(argv[1], "--version") == 0)	/* a person: engines pass nothing */
		return result_print_program(&e) < 0;
	return finish(answer(&e), &e);
}
