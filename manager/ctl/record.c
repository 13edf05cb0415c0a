/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - devinfoctl record-node: the node as an archive, for --root elsewhere */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "manager/ctl/table.h"
#include "manager/doctor/node_plugin.h"
#include "manager/inventory/drift.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void say_step(size_t done)
{
	ctl_progress("comparing attachments", done);
}

static int look_at_node(const struct host *host, const struct ctl_options *opt,
			struct inventory *inv, struct err *e)
{
	int r = inventory_read(host, inv, e) < 0 ? -1 : inventory_join(host, inv, e);

	ctl_await("kubelet");
	if (r >= 0)
		r = inventory_ask_kubelet(host, ctl_timeout_ms(host, opt), inv, e);
	ctl_await_end();
	if (r >= 0)
		r = drift_look_at_all(host, inv, say_step, e);
	ctl_progress_end();
	return r;
}

/* What is no part of an inventory: new reference, or NULL. */
static json_t *find_plugins(const struct host *host, const struct inventory *inv, struct err *e)
{
	json_auto_t *was = NULL;
	json_t *plugins;

	if (!inv->node.is_recorded)
		return node_plugins(host, e);
	if (facts_read(host, &was, e) < 0)
		return NULL;
	plugins = json_object_get(was, "plugins");
	return plugins ? json_incref(plugins) : json_object();
}

static json_t *make_facts(const struct host *host, const struct inventory *inv, struct err *e)
{
	json_auto_t *facts = inventory_facts(inv, e), *plugins = NULL;

	if (facts)
		plugins = find_plugins(host, inv, e);
	if (!plugins)
		return NULL;
	if (json_object_size(plugins) > 0)
		(void)json_object_set(facts, "plugins", plugins);
	return steal_ptr(&facts);
}

/* New and for its owner alone: names of pods and networks are in it. */
static FILE *open_archive(const char *path, struct err *e)
{
	auto_close int fd = -1;
	FILE *ret;

	if (strcmp(path, "-") == 0)
		return stdout;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!ret) {
		(void)err_set(e, ERR_IO, errno, "create '%s'", path);
		return NULL;
	}
	(void)steal_fd(&fd);
	return ret;
}

static int write_archive(const struct host *host, const struct inventory *inv, const char *path,
			 struct err *e)
{
	json_auto_t *facts = make_facts(host, inv, e);
	FILE *to = facts ? open_archive(path, e) : NULL;
	int r;

	if (!to)
		return -1;
	r = recording_write(host, inv, facts, to, e);
	if (to != stdout && fclose(to) != 0 && r == 0)
		r = err_set(e, ERR_IO, errno, "write '%s'", path);
	if (r < 0 && to != stdout)
		(void)unlink(path);
	return r;
}

/* The node's file is not below the root, where it may say so. */
static void say_how_to_read(const struct host *host)
{
	const struct settings *s = &host->set, *d = &settings_default;

	if (strcmp(s->devinfo_dir, d->devinfo_dir) != 0 || strcmp(s->state_dir, d->state_dir) != 0)
		ctl_put_line(stderr, "devinfoctl: to be read with --devinfo-dir %s --state-dir %s",
			     s->devinfo_dir, s->state_dir);
}

enum ctl_status ctl_record(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	auto_inventory struct inventory inv = { .n_functions = 0 };
	struct err e = { 0 };

	if (strcmp(operands[0], "-") == 0 && isatty(STDOUT_FILENO))
		return ctl_usage("an archive is nothing for a terminal");
	if (look_at_node(host, opt, &inv, &e) < 0 || write_archive(host, &inv, operands[0], &e) < 0)
		return ctl_error(&e);
	say_how_to_read(host);
	return CTL_OK;
}
