/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotation.c - network-status of the node's pods, from the files of status
 *
 * Theory of operation.  Which pod a container is of, the journal says; what its annotation should
 * say, the file of its sandbox; what it says, the API server's list of the node's pods, of which
 * metadata is enough.  Where they differ, a merge patch has the annotation alone, and two
 * preconditions: the uid, for a pod that was made anew under the name is another one, and the
 * version that was looked at, for others (Multus) write the same annotation.  It goes to the status
 * of the pod, by which nothing can be changed of what runs in it.
 *
 * Which entries are ours is saved behind the patches (written.h): who starts again gives up those
 * of an interface that went meanwhile, where the pod has them as they were written, and no others.
 *
 * Of several sandboxes of one pod the last one counts: kubelet ends a sandbox before it makes the
 * next.  Whether a container lives is not looked at, for that takes capabilities that a program
 * which speaks to a network is better without.
 */
#include "daemon/publish/publish.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/status.h"
#include "cni/call/status_entry.h"
#include "daemon/api/follow.h"
#include "daemon/publish/merge.h"
#include "daemon/publish/pod_wait.h"
#include "daemon/publish/task.h"
#include "daemon/publish/written.h"
#include "daemon/watch/watch.h"
#include "devinfo/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	SELECTOR_SIZE = 1024,
	REFUSED_IN_ROW_MAX = 5,		/* then it may be the server that is not well */
	OURS_MAX = 2048,		/* bytes of an entry; a larger one has more of others */
};

/* What has become of one pod; refused: of it alone, or perhaps of all. */
enum { UNCHANGED, ANSWERED, REFUSED, REFUSED_PERHAPS };

struct annotations {
	const struct publishing *publishing;
	struct task *task;
	struct follow *pods;
	struct follow_what what;
	char selector[SELECTOR_SIZE];
	json_t *written;		/* owned; by uid, our entries as the pod has them */
	json_t *saved;			/* owned; the same, as it was saved last */
	bool unsaved;			/* that it could not be is told */
	json_t *published;		/* owned; by uid, our entries as the node had them then */
	json_t *refused, *repairs;	/* owned; waits, see pod_wait.h */
};

/* -- what is known of pods -- */

/*
 * The pod that a static one is shown by has another uid; the hash is what kubelet calls uid on the
 * node.
 */
static json_t *keep_pod(const json_t *pod, void *arg)
{
	const json_t *metadata = json_object_get(pod, "metadata");
	const json_t *annotations = json_object_get(metadata, "annotations");
	json_t *kept = json_object();

	(void)arg;
	jx_put_text(kept, "uid", json_string_value(json_object_get(metadata, "uid")));
	jx_put_text(kept, "version",
		    json_string_value(json_object_get(metadata, "resourceVersion")));
	jx_put_text(kept, "status",
		    json_string_value(json_object_get(annotations, NETWORK_STATUS)));
	jx_put_text(kept, "hash", json_string_value(
		json_object_get(annotations, "kubernetes.io/config.hash")));
	return kept;
}

static void on_pods(void *arg)
{
	struct annotations *a = arg;

	task_due(a->task);
}

/* -- what the node says: by uid of the pod {"pod", "entries", "made"} -- */

struct looking {
	const struct host *host;
	json_t *pods;			/* owned by the caller */
};

/* When the file of a sandbox was made or changed last; 0: there is none. */
static json_int_t time_of(const struct host *host, const char *container)
{
	char path[512];
	struct stat st;
	auto_close int fd = -1;

	if (snprintf(path, sizeof(path), "%s/status/%s.json", host->set.run_dir, container) >=
	    (int)sizeof(path))
		return 0;
	fd = fs_open(host->root, path, O_PATH, 0);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 0;
	return (json_int_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

/* Several attachments are of one container, and are in one file. */
static int add_record(const struct record *r, void *arg, struct err *e)
{
	const struct looking *l = arg;
	json_auto_t *entries = NULL;
	const json_t *known;
	json_int_t made;
	struct err why;

	(void)e;
	if (!r->pod.uid || !r->pod.name || !r->pod.name_space || r->released)
		return 0;
	known = json_object_get(l->pods, r->pod.uid);
	made = time_of(l->host, r->owner.container_id);
	if (made == 0 || made <= json_integer_value(json_object_get(known, "made")))
		return 0;
	if (status_all(l->host, r->owner.container_id, &entries, &why) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", why.msg, why.details);
	if (!entries)
		return 0;
	(void)json_object_set_new(l->pods, r->pod.uid,
				  json_pack("{s:s++,s:O,s:I}", "pod", r->pod.name_space, "/",
					    r->pod.name, "entries", entries, "made", made));
	return 0;
}

static int look(const struct host *host, json_t *pods, struct err *e)
{
	struct looking l = { .host = host, .pods = pods };
	struct journal j = { 0 };
	int r = journal_open(host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = journal_each(&j, add_record, &l, e);
	journal_done(&j);
	return r;
}

/* -- one pod -- */

static int compose_path(const char *pod, const char *end, char ret[API_PATH_MAX])
{
	const char *slash = strchr(pod, '/');

	return snprintf(ret, API_PATH_MAX, "/api/v1/namespaces/%.*s/pods/%s%s",
			(int)(slash - pod), pod, slash + 1, end);
}

/* Names that the API server has given, and no others, are put into a path. */
static bool is_pod_name(const char *pod)
{
	const char *slash = strchr(pod, '/');
	char ns[64];

	if (!slash || snprintf(ns, sizeof(ns), "%.*s", (int)(slash - pod), pod) >= (int)sizeof(ns))
		return false;
	return name_is_dns_label(ns) && name_is_dns_subdomain(slash + 1);
}

static int judge(int r, long status)
{
	return r >= 0 ? ANSWERED :
	       api_is_of_object(status) ? REFUSED :
	       api_may_be_of_object(status) ? REFUSED_PERHAPS : -1;
}

/* Not UNCHANGED; *e where it is refused, or -1. */
static int patch(const struct annotations *a, const char *pod, const json_t *is,
		 const char *value, struct err *e)
{
	json_auto_t *body = json_pack("{s:{s:s,s:s,s:{s:s}}}", "metadata", "uid",
				      jx_get_text(is, "uid"), "resourceVersion",
				      jx_get_text(is, "version"), "annotations", NETWORK_STATUS,
				      value);
	json_auto_t *now = NULL;
	char path[API_PATH_MAX];
	int r, ret;

	(void)compose_path(pod, "/status", path);
	r = api_send(a->publishing->api, &(struct api_request){
		.method = API_PATCH, .path = path, .body = body, .form = API_METADATA }, &now, e);
	ret = judge(r, api_status(a->publishing->api));
	if (r > 0) {
		follow_note(a->pods, now);
		log_info("msg=\"network-status is published\" pod=%s", pod);
	} else if (r == 0) {
		follow_forget(a->pods, pod);
	} else if (api_status(a->publishing->api) == API_CONFLICT) {
		(void)compose_path(pod, "", path);
		follow_look_again(a->pods, path, pod);
	}
	return ret;
}

/* Those of `list` whose interfaces are ours, but what a tenant has made large. */
static json_t *ours_of(const json_t *list, const json_t *entries)
{
	json_t *ret = json_array(), *one, *our;
	size_t i, k;

	json_array_foreach(list, i, one) {
		json_array_foreach(entries, k, our)
			if (strcmp(jx_get_text(one, "interface"),
				   jx_get_text(our, "interface")) == 0 &&
			    json_dumpb(one, NULL, 0, JSON_COMPACT) <= OURS_MAX) {
				(void)json_array_append(ret, one);
				break;
			}
	}
	return ret;
}

/* Somebody else has changed what was published, and is not to be answered each time at once. */
static bool is_too_early(const struct annotations *a, const char *uid, const char *pod,
			 const json_t *entries)
{
	unsigned int left = pod_wait_left(a->repairs, uid, loop_now());

	if (!json_equal(json_object_get(a->published, uid), entries))
		return false;
	task_due_in(a->task, left);
	if (left > 0)
		return true;
	log_info("msg=\"somebody else has changed network-status: it is written again\" pod=%s",
		 pod);
	(void)pod_wait_longer(a->repairs, uid, 0, loop_now());
	return false;
}

/* What is written now is ours to give up later, and to repair. */
static void remember(const struct annotations *a, const char *uid, const json_t *want,
		     json_t *entries)
{
	(void)json_object_set_new(a->written, uid, ours_of(want, entries));
	(void)json_object_set(a->published, uid, entries);
}

/* is: the pod as the API server has it, which is of this uid.  As patch(), or UNCHANGED. */
static int publish(const struct annotations *a, const char *uid, const char *pod,
		   const json_t *is, json_t *entries, struct err *e)
{
	const char *text = jx_get_text(is, "status");
	struct err ignored;
	json_auto_t *have = *text ? jx_parse(text, strlen(text), ERR_DECODE, "", &ignored) : NULL;
	json_auto_t *want = merge_status(json_is_array(have) ? have : NULL, entries,
					 json_object_get(a->written, uid));
	auto_free char *value = status_annotation(want);
	int r;

	if (!value)
		return err_set(e, ERR_IO, ENOMEM, "compose the annotation");
	r = UNCHANGED;
	if (!json_equal(have, want)) {
		if (is_too_early(a, uid, pod, entries))
			return UNCHANGED;
		r = patch(a, pod, is, value, e);
	}
	if (r == UNCHANGED || r == ANSWERED)
		remember(a, uid, want, entries);
	return r;
}

/* -- all of them -- */

/* A pod that the server refuses a patch of waits by itself, and holds up no other. */
static bool is_waiting(const struct annotations *a, const char *uid)
{
	unsigned int left = pod_wait_left(a->refused, uid, loop_now());

	task_due_in(a->task, left);
	return left > 0;
}

static void refuse(const struct annotations *a, const char *uid, const char *pod,
		   const struct err *e)
{
	log_warning("msg=\"network-status is not published: %s\" pod=%s details=\"%s\"", e->msg,
		    pod, e->details);
	task_due_in(a->task, pod_wait_longer(a->refused, uid,
					     api_retry_after_ms(a->publishing->api), loop_now()));
}

static bool is_of(const json_t *pod, const char *uid)
{
	return strcmp(jx_get_text(pod, "uid"), uid) == 0 ||
	       strcmp(jx_get_text(pod, "hash"), uid) == 0;
}

/* Those that are not there any more are forgotten. */
static void forget(json_t *by_uid, const json_t *there)
{
	const char *uid;
	json_t *value;
	void *next;

	json_object_foreach_safe(by_uid, next, uid, value)
		if (!json_object_get(there, uid))
			(void)json_object_del(by_uid, uid);
}

/* What was written of a pod is ours as long as there is the pod, with attachments or without. */
static void forget_written(const struct annotations *a)
{
	json_auto_t *there = json_object();
	const json_t *pod;
	const char *name;

	json_object_foreach(follow_objects(a->pods), name, pod) {
		(void)json_object_set_new(there, jx_get_text(pod, "uid"), json_true());
		(void)json_object_set_new(there, jx_get_text(pod, "hash"), json_true());
	}
	forget(a->written, there);
}

/* What cannot be saved is ours until the program ends. */
static void save_written(struct annotations *a)
{
	struct err e;

	if (json_equal(a->saved, a->written))
		return;
	if (written_save(a->publishing->host, a->written, &e) == 0) {
		json_decref(a->saved);
		a->saved = json_deep_copy(a->written);
		a->unsaved = false;
	} else if (!a->unsaved) {
		log_warning("msg=\"what is written of network-status is not remembered: %s\" "
			    "details=\"%s\"", e.msg, e.details);
		a->unsaved = true;
	}
}

static int publish_all(const struct annotations *a, json_t *wanted, struct err *e)
{
	const json_t *want;
	const char *uid;
	int in_row = 0;

	json_object_foreach(wanted, uid, want) {
		const char *pod = jx_get_text(want, "pod");
		json_t *is = json_object_get(follow_objects(a->pods), pod);
		int r;

		if (!is || !is_of(is, uid) || !is_pod_name(pod) || is_waiting(a, uid))
			continue;
		(void)json_incref(is);	/* the answer to a patch replaces it */
		r = publish(a, uid, pod, is, json_object_get(want, "entries"), e);
		json_decref(is);
		if (r < 0)
			return -1;
		if (r == REFUSED || r == REFUSED_PERHAPS)
			refuse(a, uid, pod, e);
		else
			(void)json_object_del(a->refused, uid);
		in_row = r == REFUSED_PERHAPS ? in_row + 1 : r == UNCHANGED ? in_row : 0;
		if (in_row == REFUSED_IN_ROW_MAX)	/* the next run is of those behind it */
			return -1;
	}
	return 0;
}

static int run(void *arg, struct err *e)
{
	struct annotations *a = arg;
	json_auto_t *wanted = json_object();
	int r;

	if (!follow_objects(a->pods))	/* the list will come, and tell */
		return 0;
	if (look(a->publishing->host, wanted, e) < 0)
		return -1;
	forget_written(a);
	forget(a->published, wanted);
	forget(a->refused, wanted);
	forget(a->repairs, wanted);
	r = publish_all(a, wanted, e);
	save_written(a);
	return r;
}

/* -- begin and end -- */

static void end(void *self)
{
	struct annotations *a = self;

	follow_free(a->pods);
	task_free(a->task);
	json_decref(a->written);
	json_decref(a->saved);
	json_decref(a->published);
	json_decref(a->refused);
	json_decref(a->repairs);
	free(a);
}

static void *begin(const struct publishing *p, struct err *e)
{
	struct annotations *a = calloc(1, sizeof(*a));

	if (!a) {
		(void)err_set(e, ERR_IO, ENOMEM, "annotations");
		return NULL;
	}
	*a = (struct annotations){ .publishing = p, .written = written_read(p->host),
				   .published = json_object(), .refused = json_object(),
				   .repairs = json_object() };
	a->saved = json_deep_copy(a->written);
	(void)snprintf(a->selector, SELECTOR_SIZE, "fieldSelector=spec.nodeName%%3D%s"
		       "%%2Cstatus.phase%%21%%3DSucceeded%%2Cstatus.phase%%21%%3DFailed", p->node);
	a->what = (struct follow_what){ .path = "/api/v1/pods", .selector = a->selector,
					.metadata = true, .keep = keep_pod, .changed = on_pods };
	a->task = task_new(p, "publishing network-status", run, a, e);
	if (a->task)
		a->pods = follow_new(p->api, p->loop, &a->what, a, e);
	if (a->pods)
		return a;
	end(a);
	return NULL;
}

static void due(void *self)
{
	const struct annotations *a = self;

	task_due(a->task);
}

const struct subject annotations_subject = {
	.begin = begin, .of = WATCH_ALL, .due = due, .end = end,
};
