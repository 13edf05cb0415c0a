/* SPDX-License-Identifier: Apache-2.0 */
/* test_pod_child.c - a call in a process of its own: its answer, and an end that does not come */
#include "cni/pod/pod_child.h"
#include "tests/unit/tap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int answers(void *arg)
{
	(void)!write(STDOUT_FILENO, arg, strlen(arg));
	return 0;
}

static int pauses(void *arg)
{
	(void)arg;
	(void)pause();
	return 0;
}

static const struct deadline of_the_call = { .at_ms = INT64_MAX };

static int await(pod_child_fn *fn, const char *text, json_t **ret, struct err *e)
{
	struct pod_child c = POD_CHILD_NONE;

	return pod_child_start(&c, fn, (void *)(uintptr_t)text, e) < 0 ?
		       -1 : pod_child_await(&c, &of_the_call, ret, e);
}

static void answer(void)
{
	json_auto_t *doc = NULL;
	struct err e = { .code = ERR_OK };

	test("what it prints is its answer, and nothing is an answer, too");
	eqi(await(answers, "{\"cniVersion\":\"1.0.0\"}", &doc, &e), 0);
	eq(json_string_value(json_object_get(doc, "cniVersion")), "1.0.0");
	json_decref(doc);
	doc = NULL;
	eqi(await(answers, "", &doc, &e), 0);
	ok(!doc);
}

/* As one is that hangs in the kernel when SIGKILL has been waited for. */
static void no_end(void)
{
	struct pod_child c = POD_CHILD_NONE;
	json_auto_t *doc = NULL;
	struct err e = { .code = ERR_OK };
	pid_t pid;

	test("one that does not end has not succeeded");
	eqi(pod_child_start(&c, pauses, NULL, &e), 0);
	pid = c.child.pid;
	eqi(pod_child_collect(&c, &doc, &e), -1);
	eqi(e.code, ERR_TRY_AGAIN);
	ok(strstr(e.msg, "does not end"));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static int is_deaf(void *arg)
{
	(void)signal(SIGTERM, SIG_IGN);
	for (;;)
		(void)pauses(arg);
	return 0;
}

/* Each has its time beside the others, not after them. */
static void stopping(void)
{
	struct pod_child c[3] = { POD_CHILD_NONE, POD_CHILD_NONE, POD_CHILD_NONE };
	struct pod_child *list[] = { &c[0], &c[1], &c[2] };
	const struct deadline later = deadline_firm_in(5500);
	json_auto_t *doc = NULL;
	struct err e = { .code = ERR_OK };

	test("three that are deaf to SIGTERM are killed in the time of one");
	for (size_t i = 0; i < 3; i++)
		eqi(pod_child_start(&c[i], is_deaf, NULL, &e), 0);
	deadline_sleep(&later, 100);
	pod_child_stop(list, 3);
	ok(deadline_left_ms(&later) > 0);
	for (size_t i = 0; i < 3; i++) {
		eqi(pod_child_collect(&c[i], &doc, &e), -1);
		eq(e.msg, "its process died of signal 9");
	}
}

int main(void)
{
	(void)setvbuf(stdout, NULL, _IOLBF, 0);	/* a child prints what is left in it once more */
	answer();
	no_end();
	stopping();
	return tap_end();
}
