/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h - a directory of plugins made in the test, each a few lines of shell
 *
 * plugins_begin() makes it, with the IPAM fake as "fake", and works in it; plugins_end() removes
 * it.
 */
#ifndef TESTS_UNIT_PLUGIN_H
#define TESTS_UNIT_PLUGIN_H

#include "base/deadline.h"
#include "base/mem.h"
#include "cni/plugins/exec.h"
#include "tests/unit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/plugin.XXXXXX";
static bool refused;

/* A command that must work. */
static inline void sh(const char *command)
{
	if (system(command) != 0) {
		(void)printf("Bail out! %s\n", command);
		exit(1);
	}
}

/* Whether a command does. */
static inline bool holds(const char *command)
{
	return system(command) == 0;
}

static inline void plugin(const char *name, const char *script)
{
	FILE *f = fopen(name, "we");

	if (!f || fprintf(f, "#!/bin/sh\n%s\n", script) < 0 || fclose(f) != 0 ||
	    chmod(name, 0755) < 0) {
		(void)printf("Bail out! plugin %s\n", name);
		exit(1);
	}
}

static inline void plugins_begin(void)
{
	auto_free char *command = NULL;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);	/* nothing for a fork to print again */
	if (!mkdtemp(dir) || asprintf(&command, "cp tests/fake/ipam.sh %s/fake", dir) < 0)
		exit(1);
	sh(command);
	if (chdir(dir) < 0)
		exit(1);
	/* what the test's caller has left open is not for the plugins to see */
	(void)syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
	(void)signal(SIGPIPE, SIG_IGN);	/* as in the program */
	(void)setenv("FAKE_STORE", dir, 1);
	(void)setenv("CNI_CONTAINERID", "c", 1);
	(void)setenv("CNI_IFNAME", "net1", 1);
	(void)setenv("CNI_NETNS", "/run/netns/c", 1);
	(void)setenv("CNI_PATH", dir, 1);
}

static inline void plugins_end(void)
{
	sh("rm -r ../${PWD##*/}");
}

static inline int call(const struct exec_call *c, unsigned int ms, json_t **ret, struct err *e)
{
	struct deadline d = deadline_in(ms);

	json_decref(steal_ptr(ret));
	return exec_plugin(c, &d, ret, &refused, e);
}

/* A plugin of this directory, with that for stdin. */
static inline int ask_with(const char *type, const char *command, const char *request, json_t **ret,
		    struct err *e)
{
	const struct exec_call c = { .cni_path = dir, .type = type, .command = command,
				     .request = request, .len = strlen(request) };

	return call(&c, 60000, ret, e);
}

static inline int ask(const char *type, const char *command, json_t **ret, struct err *e)
{
	return ask_with(type, command, "{}", ret, e);
}

/* Our stderr becomes that descriptor; the old one is the result, to be given back the same way. */
static inline int swap_stderr(int fd)
{
	int old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	(void)dup2(fd, STDERR_FILENO);
	(void)close(fd);
	return old;
}

static inline int stderr_to(const char *file)
{
	return swap_stderr(open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

static inline int open_fds(void)
{
	DIR *fds = opendir("/proc/self/fd");
	int n = 0;

	if (!fds)
		exit(1);
	while (readdir(fds))
		n++;
	(void)closedir(fds);
	return n;
}

/* Each of them leaves no descriptor and no child, zombie or not. */
static inline void leaves_nothing(void (*tests)(void))
{
	int before = open_fds();

	tests();
	test("no descriptor and no child is left");
	ok(open_fds() == before);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

#endif
