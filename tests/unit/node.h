/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - a scratch directory, or a recorded node, as the root of a test's struct host
 *
 * Paths are from the top of the tree, where the tests are run.
 */
#ifndef TESTS_UNIT_NODE_H
#define TESTS_UNIT_NODE_H

#include "base/host.h"
#include "base/mem.h"
#include "base/siphash.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_node {
	char dir[64];
	struct host host;
};

/* Ends the test: what follows would prove nothing. */
static inline void bail_out(const char *what)
{
	(void)printf("Bail out! %s\n", what);
	exit(1);
}

/* Run a command in the directory that is the node's root. */
static inline void node_sh(const struct fake_node *n, const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n->dir, command) < 0 || system(full) != 0)
		bail_out(command);
}

/* Whether a shell's test(1) holds there. */
static inline bool node_holds(const struct fake_node *n, const char *condition)
{
	auto_free char *full = NULL;

	return asprintf(&full, "cd %s && test %s", n->dir, condition) > 0 && system(full) == 0;
}

/* A tree of tests/node/NAME.node, or an empty one when name is NULL; ends the test on failure. */
static inline void node_open(const char *name, struct fake_node *ret)
{
	char command[256];
	struct err e;

	(void)snprintf(ret->dir, sizeof(ret->dir), "/tmp/node.XXXXXX");
	if (!mkdtemp(ret->dir))
		exit(1);
	(void)snprintf(command, sizeof(command), "tests/node/make-node.sh tests/node/%s.node %s",
		       name ? name : "", ret->dir);
	if ((name && system(command) != 0) || host_open(ret->dir, &ret->host, &e) < 0)
		exit(1);
}

/* The key of its journal's names, zeros where it has none. */
static inline void node_key(const struct fake_node *n, uint8_t ret[SIPHASH_KEY])
{
	char path[128];
	auto_close int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/var/lib/cni/devinfo/lock", n->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memset(ret, 0, SIPHASH_KEY);
	if (fd >= 0 && read(fd, ret, SIPHASH_KEY) != SIPHASH_KEY)
		bail_out(path);
}

static inline void node_close(struct fake_node *n)
{
	char command[80];

	host_done(&n->host);
	(void)snprintf(command, sizeof(command), "rm -rf %s", n->dir);
	if (system(command) != 0)
		exit(1);
}

#endif
