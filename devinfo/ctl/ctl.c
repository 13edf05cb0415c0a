/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - devinfoctl: look at the device information of a node by hand, and clean up
 *
 * One table of commands, one of options.  Results go to stdout, everything else to stderr; the
 * exit status is 0, 1 when the answer is bad news, 2 when the question was wrong.
 */
#include "devinfo/ctl/ctl.h"
#include "devinfo/ctl/ctl_help.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/log.h"
#include "base/mac.h"
#include "base/name.h"
#include "conf/node.h"
#include "devinfo/inventory/facts.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTL_VERSION "0.1.0"

struct arguments {
	const char *root, *devinfo_dir, *state_dir;
	struct ctl_options opt;
	bool help, version;
};

static bool is_absolute(const char *s)
{
	return *s == '/';
}

static bool is_side(const char *s)
{
	return strcmp(s, "app") == 0 || strcmp(s, "peer") == 0;
}

static bool is_mac(const char *s)
{
	uint8_t mac[MAC_LEN];

	return mac_parse(s, mac) && mac_is_unicast(mac);
}

/* Without sign, blank or a leading zero, for it is passed on as it is. */
static bool is_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 10 && !s[digits] && (*s != '0' || digits == 1) &&
	       strtoull(s, NULL, 10) <= UINT32_MAX;
}

/* Pairs of them. */
static bool is_queues(const char *s)
{
	return is_number(s) && strcmp(s, "0") != 0 && strtoull(s, NULL, 10) <= UINT16_MAX;
}

static bool is_memory(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 10 && *s != '0' &&
	       (!s[digits] || (strchr("KMGT", s[digits]) && !s[digits + 1]));
}

/* Seconds, or milliseconds as "500ms". */
static bool is_reconnect(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 6 && *s != '0' &&
	       (!s[digits] || strcmp(s + digits, "ms") == 0);
}

static bool is_output(const char *s)
{
	return strcmp(s, "table") == 0 || strcmp(s, "wide") == 0 || strcmp(s, "json") == 0;
}

static bool is_color(const char *s)
{
	return strcmp(s, "auto") == 0 || strcmp(s, "always") == 0 || strcmp(s, "never") == 0;
}

/* Milliseconds, at most 10 minutes. */
static bool is_timeout(const char *s)
{
	return is_number(s) && strcmp(s, "0") != 0 && strtoull(s, NULL, 10) <= 600000;
}

/* It takes no value. */
static bool is_bare(const char *s)
{
	return !*s;
}

/* What is told of a value that has not its form. */
static const struct {
	bool (*is)(const char *s);
	const char *must;
} forms[] = {
	{ name_is_resource, "a resource, as intel.com/netdev" },
	{ name_is_file, "a name without blanks and '/'" },
	{ name_is_request, "REQUEST or REQUEST/SUBREQUEST" },
	{ name_is_device_id, "the id of a device" },
	{ name_is_cni_id, "the name of a network" },
	{ name_is_ifname, "the name of an interface" },
	{ is_side, "app or peer" },
	{ is_absolute, "an absolute path" },
	{ is_mac, "a unicast Ethernet address" },
	{ is_number, "0 to 4294967295" },
	{ is_queues, "1 to 65535" },
	{ is_memory, "a number, and K, M, G or T" },
	{ is_reconnect, "seconds, or milliseconds as 500ms" },
	{ is_output, "table, wide or json" },
	{ is_color, "auto, always or never" },
	{ is_timeout, "1 to 600000 milliseconds" },
};

/* NULL in struct arguments when not given. */
static const struct text_option {
	int c;				/* in a command's list of what it takes */
	const char *name;
	size_t offset;			/* in struct arguments */
	bool (*is)(const char *s);	/* its form; NULL: any */
} text_options[] = {
	{ 'R', "resource", offsetof(struct arguments, opt.resource), name_is_resource },
	{ 'p', "pod", offsetof(struct arguments, opt.pod), NULL },
	{ 'u', "uid", offsetof(struct arguments, opt.uid), name_is_file },
	{ 'c', "claim", offsetof(struct arguments, opt.claim), name_is_file },
	{ 'q', "request", offsetof(struct arguments, opt.request), name_is_request },
	{ 'g', "device", offsetof(struct arguments, opt.device), name_is_device_id },
	{ 'n', "network", offsetof(struct arguments, opt.network), name_is_cni_id },
	{ 'i', "interface", offsetof(struct arguments, opt.interface), name_is_ifname },
	{ 'S', "side", offsetof(struct arguments, opt.side), is_side },
	{ 'P', "path", offsetof(struct arguments, opt.path), is_absolute },
	{ 'm', "mac", offsetof(struct arguments, opt.mac), is_mac },
	{ 'I', "id", offsetof(struct arguments, opt.id), is_number },
	{ 'f', "secret-file", offsetof(struct arguments, opt.secret_file), NULL },
	{ 'x', "index", offsetof(struct arguments, opt.index), is_number },
	{ 'Q', "queues", offsetof(struct arguments, opt.queues), is_queues },
	{ 'M', "memory", offsetof(struct arguments, opt.memory), is_memory },
	{ 't', "reconnect", offsetof(struct arguments, opt.reconnect), is_reconnect },
	{ 'y', "dry-run", offsetof(struct arguments, opt.dry_run), is_bare },
	{ 'j', "json", offsetof(struct arguments, opt.json), is_bare },
	{ 'o', "output", offsetof(struct arguments, opt.output), is_output },
	{ 'C', "color", offsetof(struct arguments, opt.color), is_color },
	{ 'e', "match", offsetof(struct arguments, opt.match), NULL },
	{ 'l', "pool", offsetof(struct arguments, opt.pool), NULL },
	{ 'T', "timeout", offsetof(struct arguments, opt.timeout), is_timeout },
	{ 'L', "list", offsetof(struct arguments, opt.list), is_bare },
	{ 'W', "why", offsetof(struct arguments, opt.why), is_bare },
	{ 'w', "raw", offsetof(struct arguments, opt.raw), is_bare },
	{ 'X', "remove", offsetof(struct arguments, opt.remove), is_bare },
	{ 'E', "expires", offsetof(struct arguments, opt.expires), is_number },
	{ 'a', "api", offsetof(struct arguments, opt.api), NULL },
	{ 'D', "driver", offsetof(struct arguments, opt.driver), NULL },
	{ 'N', "node-name", offsetof(struct arguments, opt.node_name), NULL },
	{ 'z', "slices", offsetof(struct arguments, opt.slices), NULL },
	{ 'F', "features", offsetof(struct arguments, opt.features), NULL },
	{ 'O', "overrides", offsetof(struct arguments, opt.overrides), NULL },
	{ 'r', "root", offsetof(struct arguments, root), NULL },
	{ 'd', "devinfo-dir", offsetof(struct arguments, devinfo_dir), is_absolute },
	{ 's', "state-dir", offsetof(struct arguments, state_dir), is_absolute },
};

#define OF_ALL "rds"	/* of text_options, those of every command */
#define OF_ROWS OF_ALL "joC"	/* and of those that print rows, see ctl_table.h */

static const struct command {
	const char *name, *operands, *summary;
	int min, max;			/* number of operands */
	const char *takes;		/* of text_options; NULL: no node is looked at */
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
} commands[] = {
	{ "scan", "", "print the node's devices, and who has them", 0, 0, OF_ROWS "elTWON",
	  ctl_scan },
	{ "list", "", "print who has which device, from the journal", 0, 0, OF_ROWS, ctl_list },
	{ "status", "POD", "print what a pod was given: its network-status", 1, 1, OF_ROWS,
	  ctl_status_of },
	{ "show", "DEVICE", "print the device-info of a PCI address, vDPA or net device", 1, 1,
	  OF_ROWS "RWON", ctl_show },
	{ "resolve", "NAMESPACE/NAME", "print which device the plugin would choose for a pod",
	  0, 1, OF_ROWS "RpucqgniT", ctl_resolve },
	{ "explain", "NAMESPACE/POD", "print the way of a pod's devices, and what is wrong with it",
	  1, 1, OF_ROWS "T", ctl_explain },
	{ "drift", "", "compare all attachments with what the kernel shows, as CHECK does", 0, 0,
	  OF_ROWS, ctl_drift },
	{ "doctor", "", "print what is wrong on the node, and what to do about it", 0, 0,
	  OF_ROWS "TL", ctl_doctor },
	{ "gc", "", "release what attachments of dead containers have left", 0, 0, OF_ALL "yj",
	  ctl_gc },
	{ "repair", "", "mend what is safe to mend of what doctor finds", 0, 0, OF_ROWS "yT",
	  ctl_repair },
	{ "publish", "[RESOURCE...]", "write the device-plugin files of pools", 0, INT_MAX,
	  OF_ROWS "ly", ctl_publish },
	{ "withdraw", "[RESOURCE...]", "remove the device-plugin files of pools", 0, INT_MAX,
	  OF_ROWS "ly", ctl_withdraw },
	{ "export", "WHAT [OPERAND...]", "print what the cluster is told of the node", 1, INT_MAX,
	  OF_ALL "XawDNzOETl", ctl_export },
	{ "nfd", "lint|eval FILE...", "check and evaluate files of Node Feature Discovery", 2,
	  INT_MAX, OF_ROWS "WFN", ctl_nfd },
	{ "dra", "select FILE...", "print which devices a claim would get here", 2, INT_MAX,
	  OF_ROWS "WazDNOT", ctl_dra },
	{ "record-node", "FILE", "write what the node is like as an archive", 1, 1, OF_ALL "T",
	  ctl_record },
	{ "validate", "FILE...", "check device-info files, '-' being standard input", 1, INT_MAX,
	  OF_ALL, ctl_validate },
	{ "validate-conf", "FILE...", "check configurations, '-' being standard input", 1, INT_MAX,
	  NULL, ctl_validate_conf },
	{ "args", "dpdk|qemu FILE", "print a program's arguments for the device of a file", 2, 2,
	  OF_ALL "iSPmIfxQMt", ctl_args },
};

static void put_options(FILE *to, const char *takes, const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++)
		if (strchr(takes, text_options[i].c))
			ctl_help_put_option(to, text_options[i].name, command);
}

static void print_help(FILE *to)
{
	(void)fputs("usage: devinfoctl [OPTION...] COMMAND [OPERAND...]\n\ncommands:\n", to);
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		(void)fprintf(to, "  %-13s %-14s %s\n", c->name, c->operands, c->summary);
	(void)fputs("  help          [COMMAND]      print this text, or a command's\n"
		    "\noptions:\n", to);
	put_options(to, OF_ALL, "");
	(void)fputs("  --help                    print this text, or a command's\n"
		    "  --version                 print the version\n", to);
}

static void print_help_of(const struct command *c)
{
	(void)printf("usage: devinfoctl [OPTION...] %s%s%s\n\n", c->name, *c->operands ? " " : "",
		     c->operands);
	ctl_help_put_command(stdout, c->name);
	if (c->takes) {
		(void)puts("\noptions:");
		put_options(stdout, c->takes, c->name);
	}
	ctl_help_put_examples(stdout, c->name);
}

bool ctl_is_json(const struct ctl_options *opt)
{
	return opt->json || (opt->output && strcmp(opt->output, "json") == 0);
}

bool ctl_is_wide(const struct ctl_options *opt)
{
	return opt->output && strcmp(opt->output, "wide") == 0;
}

/* The plugin waits for a kubelet that starts; a person wants to hear at once that there is none. */
unsigned int ctl_timeout_ms(const struct host *host, const struct ctl_options *opt)
{
	struct err ignored;

	if (opt->timeout)
		return (unsigned int)strtoul(opt->timeout, NULL, 10);
	if (host->facts)	/* nobody is waited for, but files are searched */
		return host->set.podres_timeout_ms;
	return fs_exists(host->root, &ignored, "%s", host->set.kubelet_socket) == 0 ?
		       1 : host->set.podres_timeout_ms;
}

void ctl_act_as_plugin(const struct host *host)
{
	struct err e;

	(void)signal(SIGPIPE, SIG_IGN);
	deadline_catch_signals();
	log_set_level(host->set.log_level);
	if (host->set.log_file && log_open(host->root, host->set.log_file, &e) < 0)
		(void)ctl_error(&e);
}

static const char **value_of(const struct text_option *o, struct arguments *args)
{
	return (const char **)(void *)((char *)args + o->offset);
}

static const char *must_of(bool (*is)(const char *s))
{
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && forms[i].is != is)
		i++;
	return i < ARRAY_SIZE(forms) ? forms[i].must : "no value";
}

static enum ctl_status take_text(int c, const char *value, struct arguments *ret)
{
	const struct text_option *o = text_options;

	while (o->c != c)	/* getopt_long returns none that is not there */
		o++;
	if (o->is && !o->is(value))
		return ctl_usage("--%s cannot be '%s': expected %s", o->name, value,
				 must_of(o->is));
	*value_of(o, ret) = value;
	return CTL_OK;
}

static enum ctl_status take(int c, const char *value, struct arguments *ret)
{
	switch (c) {
	case 'h':
		ret->help = true;
		return CTL_OK;
	case 'V':
		ret->version = true;
		return CTL_OK;
	case '?':	/* getopt_long has said why */
		return CTL_USAGE;
	default:
		return take_text(c, value, ret);
	}
}

static enum ctl_status parse_options(int argc, char **argv, struct arguments *ret)
{
	enum { TEXTS = ARRAY_SIZE(text_options) };
	struct option options[TEXTS + 3] = {
		[TEXTS] = { "help", no_argument, NULL, 'h' },
		[TEXTS + 1] = { "version", no_argument, NULL, 'V' },
	};
	enum ctl_status status = CTL_OK;
	int c;

	for (size_t i = 0; i < TEXTS; i++)
		options[i] = (struct option){
			text_options[i].name,
			text_options[i].is == is_bare ? no_argument : required_argument, NULL,
			text_options[i].c,
		};
	while (status == CTL_OK && (c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		status = take(c, optarg ? optarg : "", ret);
	return status;
}

static enum ctl_status check_taken(const struct command *cmd, struct arguments *args)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++) {
		const struct text_option *o = &text_options[i];

		if (*value_of(o, args) && (!cmd->takes || !strchr(cmd->takes, o->c)))
			return ctl_usage("--%s is not for %s", o->name, cmd->name);
	}
	return CTL_OK;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		if (strcmp(name, c->name) == 0)
			return c;
	return NULL;
}

/* A recorded node is a tree that somebody sent. */
static int distrust_others(const struct command *cmd, const struct host *host, struct err *e)
{
	int live = strchr(cmd->takes, 'r') ? facts_is_live(host, e) : 1;

	if (live == 0)
		fs_refuse_devices();
	return live < 0 ? -1 : 0;
}

/* A typing error would be a node without attachments, or a new journal. */
static int take_state_dir(const char *dir, struct host *host, struct err *e)
{
	int r = fs_exists(host->root, e, "%s/attachments", dir);

	host->set.state_dir = dir;
	return r != 0 ? (r < 0 ? -1 : 0) :
			err_set(e, ERR_IO, 0, "--state-dir '%.200s': there is no journal in it",
				dir);
}

/* The settings are the node's own; the options win. */
static enum ctl_status run(const struct command *cmd, const struct arguments *args,
			   char *const *operands)
{
	auto_node struct node node = { 0 };
	auto_host struct host host = { .root = -1 };
	json_auto_t *facts = NULL;
	struct err e = { 0 };

	if (node_read(getenv("DEVINFO_CONF"), &node, &e) < 0 ||
	    host_open(args->root ? args->root : node.root, &host, &e) < 0 ||
	    distrust_others(cmd, &host, &e) < 0 || facts_read(&host, &facts, &e) < 0)
		return ctl_error(&e);
	host.facts = facts;
	if (node.wrong && cmd->run != ctl_doctor)	/* which tells all that is wrong with it */
		return ctl_error(&node.why);
	host.set = node.set;
	if (args->devinfo_dir)
		host.set.devinfo_dir = args->devinfo_dir;
	if (args->state_dir && take_state_dir(args->state_dir, &host, &e) < 0)
		return ctl_error(&e);
	return cmd->run(&host, &args->opt, operands);
}

static enum ctl_status run_command(const struct command *cmd, int operands,
				   struct arguments *args, char **argv)
{
	if (operands < cmd->min || operands > cmd->max)
		return ctl_usage("wrong number of operands for %s: expected %s", cmd->name,
				 *cmd->operands ? cmd->operands : "none");
	if (check_taken(cmd, args) != CTL_OK)
		return CTL_USAGE;
	return cmd->takes ? run(cmd, args, argv) : cmd->run(NULL, &args->opt, argv);
}

/* words: the command and its operands, NULL-terminated. */
static enum ctl_status dispatch(int operands, struct arguments *args, char **words)
{
	bool help = args->help;
	const struct command *cmd;

	if (args->version) {
		(void)puts("devinfoctl " CTL_VERSION);
		return CTL_OK;
	}
	if (*words && strcmp(*words, "help") == 0) {
		help = true;
		words++;
	}
	if (!*words) {
		print_help(help ? stdout : stderr);
		return help ? CTL_OK : CTL_USAGE;
	}
	cmd = find_command(*words);
	if (!cmd)
		return ctl_usage("unknown command '%s'", *words);
	if (!help)
		return run_command(cmd, operands, args, words + 1);
	print_help_of(cmd);
	return CTL_OK;
}

int main(int argc, char **argv)
{
	struct arguments args = { 0 };
	enum ctl_status status;

	jx_init(NULL);
	log_pass_on_text_alone();
	status = parse_options(argc, argv, &args);
	if (status == CTL_OK)
		status = dispatch(argc - optind - 1, &args, argv + optind);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("devinfoctl: stdout");
		return CTL_FAILED;
	}
	return (int)status;
}
