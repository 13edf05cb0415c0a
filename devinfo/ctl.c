/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - devinfoctl: look at the device information of a node by hand
 *
 * One table of commands.  Results go to stdout, everything else to stderr; the
 * exit status is 0, 1 when the answer is bad news, 2 when the question was wrong.
 */
#include "devinfo/ctl.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/node.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTL_VERSION "0.1.0"

struct command {
	const char *name, *operands, *summary;
	int min, max;			/* number of operands */
	bool takes_resource;
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
};

static const struct command commands[] = {
	{ "list", "", "print who has which device, from the journal", 0, 0, false, ctl_list },
	{ "show", "DEVICE", "print the device-info of a PCI address or net device", 1, 1, true,
	  ctl_show },
	{ "validate", "FILE...", "check device-info files", 1, INT_MAX, false, ctl_validate },
};

struct arguments {
	const char *root, *devinfo_dir, *state_dir;
	struct ctl_options opt;
	bool help, version;
};

static void print_help(FILE *to)
{
	(void)fputs("usage: devinfoctl [OPTION...] COMMAND [OPERAND...]\n\ncommands:\n", to);
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		(void)fprintf(to, "  %-9s %-8s %s\n", c->name, c->operands, c->summary);
	(void)fputs("  help               print this text\n\n"
		    "options:\n"
		    "  --resource NAME    show: read the file of this resource's device plugin\n"
		    "  --root DIR         a recorded node instead of this machine\n"
		    "  --devinfo-dir DIR  where dp/ and cni/ lie (below the root)\n"
		    "  --state-dir DIR    where the journal lies (below the root)\n"
		    "  --help, --version\n", to);
}

static enum ctl_status usage(const char *what, const char *value)
{
	(void)fprintf(stderr, "devinfoctl: %s '%s'; see 'devinfoctl help'\n", what, value);
	return CTL_USAGE;
}

enum ctl_status ctl_error(const struct err *e)
{
	(void)fprintf(stderr, *e->details ? "devinfoctl: %s (%s)\n" : "devinfoctl: %s\n", e->msg,
		      e->details);
	return CTL_FAILED;
}

static enum ctl_status parse_options(int argc, char **argv, struct arguments *ret)
{
	static const struct option options[] = {
		{ "resource", required_argument, NULL, 'R' },
		{ "root", required_argument, NULL, 'r' },
		{ "devinfo-dir", required_argument, NULL, 'd' },
		{ "state-dir", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'R':
			ret->opt.resource = optarg;
			break;
		case 'r':
			ret->root = optarg;
			break;
		case 'd':
			ret->devinfo_dir = optarg;
			break;
		case 's':
			ret->state_dir = optarg;
			break;
		case 'h':
			ret->help = true;
			break;
		case 'V':
			ret->version = true;
			break;
		default:	/* getopt_long has said why */
			return CTL_USAGE;
		}
	}
	if (ret->opt.resource && !name_is_resource(ret->opt.resource))
		return usage("no resource name:", ret->opt.resource);
	if (ret->devinfo_dir && *ret->devinfo_dir != '/')
		return usage("no absolute path:", ret->devinfo_dir);
	if (ret->state_dir && *ret->state_dir != '/')
		return usage("no absolute path:", ret->state_dir);
	return CTL_OK;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		if (strcmp(name, c->name) == 0)
			return c;
	return NULL;
}

/* The settings are the node's own; the options win. */
static enum ctl_status run(const struct command *cmd, const struct arguments *args,
			   char *const *operands)
{
	auto_node struct node node = { 0 };
	auto_host struct host host = { .root = -1 };
	struct err e = { 0 };

	if (node_read(getenv("DEVINFO_CONF"), &node, &e) < 0 ||
	    host_open(args->root ? args->root : node.root, &host, &e) < 0)
		return ctl_error(&e);
	if (node.wrong)
		return ctl_error(&node.why);
	host.set = node.set;
	if (args->devinfo_dir)
		host.set.devinfo_dir = args->devinfo_dir;
	if (args->state_dir)
		host.set.state_dir = args->state_dir;
	return cmd->run(&host, &args->opt, operands);
}

static enum ctl_status dispatch(int argc, char **argv, const struct arguments *args)
{
	const struct command *cmd;
	int operands = argc - optind - 1;

	if (args->version) {
		(void)puts("devinfoctl " CTL_VERSION);
		return CTL_OK;
	}
	if (args->help || (operands >= 0 && strcmp(argv[optind], "help") == 0)) {
		print_help(stdout);
		return CTL_OK;
	}
	if (operands < 0) {
		print_help(stderr);
		return CTL_USAGE;
	}
	cmd = find_command(argv[optind]);
	if (!cmd)
		return usage("unknown command", argv[optind]);
	if (operands < cmd->min || operands > cmd->max)
		return usage("wrong number of operands for", cmd->name);
	if (args->opt.resource && !cmd->takes_resource)
		return usage("no --resource for", cmd->name);
	return run(cmd, args, argv + optind + 1);
}

int main(int argc, char **argv)
{
	struct arguments args = { 0 };
	enum ctl_status status;

	jx_init(NULL);
	status = parse_options(argc, argv, &args);
	if (status == CTL_OK)
		status = dispatch(argc, argv, &args);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("devinfoctl: stdout");
		return CTL_FAILED;
	}
	return (int)status;
}
