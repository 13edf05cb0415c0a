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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTL_VERSION "0.1.0"

struct command {
	const char *name, *operands, *summary;
	int min, max;			/* number of operands */
	const char *takes;		/* options of its own, see own_options */
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
};

static const struct command commands[] = {
	{ "list", "", "print who has which device, from the journal", 0, 0, "", ctl_list },
	{ "show", "DEVICE", "print the device-info of a PCI address or net device", 1, 1, "R",
	  ctl_show },
	{ "resolve", "", "print which device the plugin would choose for a pod, and why", 0, 0,
	  "Rpucqgni", ctl_resolve },
	{ "validate", "FILE...", "check device-info files", 1, INT_MAX, "", ctl_validate },
};

/* Options of single commands; all take a text. */
static const struct own_option {
	int c;
	const char *name;
	size_t offset;
	bool (*is)(const char *s);	/* its form; NULL: any */
} own_options[] = {
	{ 'R', "resource", offsetof(struct ctl_options, resource), name_is_resource },
	{ 'p', "pod", offsetof(struct ctl_options, pod), NULL },
	{ 'u', "uid", offsetof(struct ctl_options, uid), name_is_file },
	{ 'c', "claim", offsetof(struct ctl_options, claim), name_is_file },
	{ 'q', "request", offsetof(struct ctl_options, request), name_is_file },
	{ 'g', "device", offsetof(struct ctl_options, device), name_is_device_id },
	{ 'n', "network", offsetof(struct ctl_options, network), name_is_cni_id },
	{ 'i', "interface", offsetof(struct ctl_options, interface), name_is_ifname },
};

struct arguments {
	const char *root, *devinfo_dir, *state_dir;
	struct ctl_options opt;
	char given[ARRAY_SIZE(own_options) + 1];	/* which of own_options */
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
		    "                     resolve: ask for its devices\n"
		    "  --pod NAMESPACE/NAME, --uid UID\n"
		    "                     resolve: the pod; kubelet's checkpoint goes by the UID\n"
		    "  --claim NAME, --request NAME, --device ID\n"
		    "                     resolve: ask for devices of a claim, or this one\n"
		    "  --network NAME, --interface NAME\n"
		    "                     resolve: for this attachment instead of a new one\n"
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

static enum ctl_status take_own(int c, const char *value, struct arguments *ret)
{
	const struct own_option *o = own_options;
	size_t n = strlen(ret->given);

	while (o->c != c)	/* getopt_long returns none that is not there */
		o++;
	if (o->is && !o->is(value))
		return usage("no value for its option:", value);
	memcpy((char *)&ret->opt + o->offset, &value, sizeof(value));
	if (!strchr(ret->given, c))
		ret->given[n] = (char)c;
	return CTL_OK;
}

static enum ctl_status parse_options(int argc, char **argv, struct arguments *ret)
{
	static const struct option options[] = {
		{ "resource", required_argument, NULL, 'R' },
		{ "pod", required_argument, NULL, 'p' },
		{ "uid", required_argument, NULL, 'u' },
		{ "claim", required_argument, NULL, 'c' },
		{ "request", required_argument, NULL, 'q' },
		{ "device", required_argument, NULL, 'g' },
		{ "network", required_argument, NULL, 'n' },
		{ "interface", required_argument, NULL, 'i' },
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
		case '?':	/* getopt_long has said why */
			return CTL_USAGE;
		default:
			if (take_own(c, optarg, ret) != CTL_OK)
				return CTL_USAGE;
		}
	}
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
	for (const char *c = args->given; *c; c++)
		if (!strchr(cmd->takes, *c))
			return usage("an option that is not for", cmd->name);
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
