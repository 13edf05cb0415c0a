/* SPDX-License-Identifier: Apache-2.0 */
/* test_process.c - the signals of a program that runs until it is told to end, and its places */
#include "daemon/process/process.h"

#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <signal.h>
#include <sys/wait.h>

static void test_places(void)
{
	char dir[PATH_MAX], ret[PATH_MAX], path[PATH_MAX + 8] = "/";
	struct err e = { 0 };

	test("the directory of a file, also of one in the root");
	ok(process_directory("/etc/pcidp/config.json", dir, &e) == 0);
	eq(dir, "/etc/pcidp");
	ok(process_directory("/config.json", dir, &e) == 0);
	eq(dir, "/");
	ok(process_directory("//config.json", dir, &e) == 0);
	eq(dir, "/");

	test("something in a directory");
	ok(process_path("/run/devinfo", "status", ret, &e) == 0);
	eq(ret, "/run/devinfo/status");

	test("what is too long for a path is told");
	memset(path, 'd', sizeof(path));
	*path = '/';
	path[PATH_MAX - 2] = '\0';
	ok(process_path(path, "", ret, &e) == 0);
	ok(process_path(path, "x", ret, &e) == -1);
	contains(e.msg, "ddd...' is too long for a path");
	path[PATH_MAX - 2] = 'd';
	path[PATH_MAX] = '/';
	path[PATH_MAX + 1] = '\0';
	ok(process_directory(path, ret, &e) == -1);
	contains(e.msg, "ddd...' is too long for a path");
}

static void on_reload(void *arg)
{
	(*(int *)arg)++;
}

/* In a child, for the signals stay caught: its exit status is how often it was reloaded. */
static _Noreturn void run(const struct fake_node *n)
{
	struct process p = PROCESS_NONE;
	int n_reloads = 0;
	struct err e = { 0 };

	if (process_open(&p, &e) < 0 || process_begin(&p, on_reload, &n_reloads, &e) < 0)
		_exit(100);
	node_sh(n, "mv log log.1");
	if (raise(SIGPIPE) != 0 || raise(SIGHUP) != 0 || loop_turn(p.loop, 1000, &e) < 0)
		_exit(101);
	(void)alarm(5);
	if (raise(SIGTERM) != 0 || process_run(&p, &e) < 0)
		_exit(102);
	process_done(&p);
	_exit(n_reloads);
}

static void test_signals(void)
{
	struct process none = PROCESS_NONE;
	struct err e = { 0 };
	struct fake_node n;
	char conf[128];
	int status;
	pid_t pid;

	node_open(NULL, &n);
	(void)snprintf(conf, sizeof(conf), "echo '{\"root\": \"%s\", \"logFile\": \"/log\", "
		       "\"what\": 1}' >devinfo.json", n.dir);
	node_sh(&n, conf);
	(void)snprintf(conf, sizeof(conf), "%s/devinfo.json", n.dir);
	ok(setenv("DEVINFO_CONF", conf, 1) == 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		run(&n);
	test("SIGHUP opens the log by its name again and reloads, SIGTERM ends, SIGPIPE not");
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	eqi(WEXITSTATUS(status), 1);
	ok(node_holds(&n, "-f log"));
	test("a mistake in the node's file is told, and is no end");
	ok(node_holds(&n, "\"$(grep -c 'level=warning.*what' log.1)\" = 1"));

	test("a node's file that was named and is absent is one");
	ok(setenv("DEVINFO_CONF", "/nowhere/devinfo.json", 1) == 0);
	ok(process_open(&none, &e) == -1);
	contains(e.msg, "/nowhere/devinfo.json");
	process_done(&none);
	node_close(&n);
}

int main(void)
{
	test_places();
	test_signals();
	return tap_end();
}
