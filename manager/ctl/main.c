/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - devinfoctl: look at the device information of a node by hand, and clean up
 *
 * The table of commands, each of which has a file of its own; that of options is in option.c.  The
 * command that is meant is found here, and the node that it looks at is opened for it.  Results go
 * to stdout, everything else to stderr; the exit status is 0, 1 when the answer is bad news, 2 when
 * the question was wrong.
 */
#include "manager/ctl/ctl.h"
#include "manager/ctl/help.h"
#include "manager/ctl/option.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/version.h"
#include "conf/node.h"
#include "devinfo/journal/earlier.h"
#include "manager/inventory/facts.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which options it takes: the characters of option.c. */
#define OF_ALL "rds"	/* those of every command that looks at a node */
#define OF_ROWS OF_ALL "joC"	/* and of those that print rows, see table.h */

/* What it does with attachments, which says whether it may go by less than a node's whole file. */
enum part {
	PART_NONE,			/* nothing, or tells of them in its own answer */
	PART_OPERAND,			/* nothing; with an operand it looks at that alone */
	PART_LOOKS,			/* its answer is about them */
	PART_MENDS,			/* it ends those of dead containers */
	PART_JUDGES,			/* it tells all that is wrong with the node's file, too */
};

static const struct command {
	const char *name;		/* a word, or two */
	const char *operands, *summary;
	int min, max;			/* number of operands */
	const char *takes;		/* options; without --root no node is looked at */
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
	enum part part;
} commands[] = {
	{ "scan", "", "print the node's devices, and who has them", 0, 0, OF_ROWS "elTWON",
	  ctl_scan, PART_LOOKS },
	{ "list", "", "print who has which device, from the journal", 0, 0, OF_ROWS,
	  ctl_list, PART_LOOKS },
	{ "status", "POD", "print what a pod was given: its network-status", 1, 1, OF_ROWS "v",
	  ctl_status_of, PART_LOOKS },
	{ "show", "DEVICE", "print the device-info of a PCI address, vDPA or net device", 1, 1,
	  OF_ROWS "RWON", ctl_show, PART_NONE },
	{ "resolve", "NAMESPACE/NAME", "print which device the plugin would choose for a pod",
	  0, 1, OF_ROWS "RpucqgniT", ctl_resolve, PART_NONE },
	{ "explain", "NAMESPACE/POD", "print the way of a pod's devices, and what is wrong with it",
	  1, 1, OF_ROWS "T", ctl_explain, PART_LOOKS },
	{ "drift", "", "compare all attachments with what the kernel shows, as CHECK does", 0, 0,
	  OF_ROWS, ctl_drift, PART_LOOKS },
	{ "doctor", "", "print what is wrong on the node, and what to do about it", 0, 0,
	  OF_ROWS "TL", ctl_doctor, PART_JUDGES },
	{ "watch", "", "print the devices that devinfod offers, and each change, as it comes", 0, 0,
	  OF_ALL "j", ctl_watch, PART_NONE },
	{ "events", "", "print what has become of them lately", 0, 0, OF_ROWS, ctl_events,
	  PART_NONE },
	{ "gc", "", "release what attachments of dead containers have left", 0, 0, OF_ALL "yj",
	  ctl_gc, PART_MENDS },
	{ "repair", "", "mend what is safe to mend of what doctor finds", 0, 0, OF_ROWS "yT",
	  ctl_repair, PART_MENDS },
	{ "publish", "[RESOURCE...]", "write the device-plugin files of pools", 0, INT_MAX,
	  OF_ROWS "ly", ctl_publish, PART_NONE },
	{ "withdraw", "[RESOURCE...]", "remove the device-plugin files of pools", 0, INT_MAX,
	  OF_ROWS "ly", ctl_withdraw, PART_NONE },
	{ "export nfd", "[DIR]", "print the devices as a feature file, or write it", 0, 1,
	  OF_ALL "wXEl", ctl_export_nfd, PART_NONE },
	{ "export nodefeature", "", "print the features of the node as an object of NFD", 0, 0,
	  OF_ALL "wNl", ctl_export_nodefeature, PART_NONE },
	{ "export resourceslice", "", "print the devices as ResourceSlices", 0, 0, OF_ALL "lakDNUT",
	  ctl_export_resourceslice, PART_NONE },
	{ "export deviceclass", "", "print a DeviceClass for them, or one for each pool", 0, 0,
	  OF_ALL "lakD", ctl_export_deviceclass, PART_NONE },
	{ "export claim-status", "NAMESPACE/NAME", "print what a claim's status should say", 1, 1,
	  OF_ALL "akT", ctl_export_claim_status, PART_NONE },
	{ "nfd lint", "FILE...", "check feature files and rules for NFD", 1, INT_MAX, OF_ALL "j",
	  ctl_nfd_lint, PART_NONE },
	{ "nfd eval", "FILE...", "print what rules of NFD would give this node", 1, INT_MAX,
	  OF_ROWS "WFN", ctl_nfd_eval, PART_NONE },
	{ "dra lint", "FILE...", "check objects as the API server would", 1, INT_MAX, "jk",
	  ctl_dra_lint, PART_NONE },
	{ "dra select", "FILE...", "print which devices a claim would get here", 1, INT_MAX,
	  OF_ROWS "WzDNOTlk", ctl_dra_select, PART_NONE },
	{ "record-node", "FILE", "write what the node is like as an archive", 1, 1, OF_ALL "T",
	  ctl_record, PART_NONE },
	{ "validate", "FILE...", "check device-info files, '-' being standard input", 1, INT_MAX,
	  OF_ALL, ctl_validate, PART_NONE },
	{ "validate-conf", "FILE...", "check configurations, '-' being standard input", 1, INT_MAX,
	  "j", ctl_validate_conf, PART_NONE },
	{ "networks", "[DIR]", "print and check the networks of a directory", 0, 1, OF_ROWS "A",
	  ctl_networks, PART_OPERAND },
	{ "args", "dpdk|qemu FILE", "print a program's arguments for the device of a file", 2, 2,
	  OF_ALL "iSPmIfxQMt", ctl_args, PART_NONE },
};

/* The length of the first word of a name. */
static size_t first_word(const struct command *c)
{
	return strcspn(c->name, " ");
}

static bool begins_with(const struct command *c, const char *word)
{
	return strlen(word) == first_word(c) && strncmp(c->name, word, first_word(c)) == 0;
}

static void print_help(FILE *to)
{
	(void)fputs("usage: devinfoctl [OPTION...] COMMAND [OPERAND...]\n\ncommands:\n", to);
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		(void)fprintf(to, "  %-20s %-14s %s\n", c->name, c->operands, c->summary);
	(void)fprintf(to, "  %-20s %-14s %s\n\noptions:\n", "help", "[COMMAND]",
		      "print this text, or a command's");
	ctl_option_put_help(to, OF_ALL, "");
	(void)fputs("  --help                    print this text, or a command's\n"
		    "  --version                 print the version\n", to);
}

/* The second words of the commands that begin with this one: "lint or eval". */
static void second_words(const char *word, char *ret, size_t size)
{
	size_t len = 0;

	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		if (begins_with(c, word) && c->name[first_word(c)] && len < size)
			len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? " or " : "",
						c->name + first_word(c) + 1);
}

/* Of several commands that begin with one word what comes behind it. */
static void print_usage_of(const char *word)
{
	const struct command *only = NULL;
	char sep = ' ';

	(void)printf("usage: devinfoctl [OPTION...] %s", word);
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++) {
		if (!begins_with(c, word))
			continue;
		only = sep == ' ' ? c : NULL;
		if (c->name[first_word(c)])
			(void)printf("%c%s", sep, c->name + first_word(c) + 1);
		sep = '|';
	}
	(void)printf("%s%s\n\n", !only || *only->operands ? " " : "",
		     only ? only->operands : "[OPERAND...]");
}

static void print_help_of(const char *word)
{
	char takes[64] = "";

	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++)
		if (begins_with(c, word))
			(void)strncat(takes, c->takes, sizeof(takes) - strlen(takes) - 1);
	print_usage_of(word);
	ctl_help_put_command(stdout, word);
	if (*takes) {
		(void)puts("\noptions:");
		ctl_option_put_help(stdout, takes, word);
	}
	ctl_help_put_examples(stdout, word);
}

/* The first word of a command that is near to this one. */
static void hint_first(const char *word, char hint[NEAREST_HINT])
{
	char first[ARRAY_SIZE(commands)][32];
	const char *names[ARRAY_SIZE(commands) + 1] = { "help" };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		(void)snprintf(first[i], sizeof(first[i]), "%.*s", (int)first_word(&commands[i]),
			       commands[i].name);
		names[i + 1] = first[i];
	}
	nearest_hint(word, names, ARRAY_SIZE(names), hint);
}

/* No command has this name; perhaps several begin with its first word. */
static enum ctl_status no_command(char *const *words)
{
	char seconds[128] = "", hint[NEAREST_HINT];

	second_words(words[0], seconds, sizeof(seconds));
	if (!*seconds) {
		hint_first(words[0], hint);
		return ctl_usage("unknown command '%s'%s", words[0], hint);
	}
	if (!words[1])
		return ctl_usage("'%s' is no command: expected %s behind it", words[0], seconds);
	return ctl_usage("unknown command '%s %s': expected %s behind '%s'", words[0], words[1],
			 seconds, words[0]);
}

/* By its one or two words; the first alone is enough for help. */
static const struct command *find_command(char *const *words, bool help)
{
	for (const struct command *c = commands; c < commands + ARRAY_SIZE(commands); c++) {
		const char *second = c->name + first_word(c);

		if (begins_with(c, *words) &&
		    (!*second || (words[1] ? strcmp(second + 1, words[1]) == 0 : help)))
			return c;
	}
	return NULL;
}

/* A recorded node is a tree that somebody sent. */
static int distrust_others(const struct host *host, struct err *e)
{
	int live = facts_is_live(host, e);

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

/*
 * A node's file that is no JSON does not keep anybody from looking; nor from mending what dead
 * containers have left, but where that could be in directories that nobody knows now.
 */
static bool does_without(const struct command *cmd, const struct node *node,
			 const struct host *host)
{
	return node->lost && (cmd->part == PART_LOOKS ||
			      (cmd->part == PART_MENDS &&
			       (host->earlier->list || !node->lost_dirs)));
}

/* May the command run? */
static bool judge_node(const struct command *cmd, const struct node *node, const struct host *host)
{
	if (!node->wrong || cmd->part == PART_JUDGES)
		return true;
	(void)ctl_error(&node->why);
	if (!does_without(cmd, node, host))
		return false;
	ctl_put_line(stderr, "devinfoctl: the defaults are taken instead%s; an ADD is refused "
			     "until the file is corrected",
		     host->earlier->list ? ", and the directories of the latest ADD" : "");
	return true;
}

/* Records in a directory that stateDir was before. */
static void tell_earlier(const struct host *host)
{
	struct err e = { 0 };
	const char *where;
	size_t n;

	if (earlier_count(host, &n, &where, &e) < 0)
		(void)ctl_error(&e);
	else if (n > 0)
		ctl_put_line(stderr, "devinfoctl: warning: %zu records are in %s, which stateDir "
				     "was before: see 'devinfoctl doctor'", n, where);
}

/*
 * The directories: those of the options, of the node's file, or, where that is lost, of the latest
 * ADD.  Whoever names a journal looks at that alone, unless it is the node's.
 */
static int take_directories(const struct arguments *args, const struct node *node,
			    struct earlier *earlier, struct host *host, struct err *e)
{
	host->set = node->set;
	host->earlier = earlier;
	if (node->lost)
		(void)earlier_take_last(earlier, &host->set);
	if (args->devinfo_dir)
		host->set.devinfo_dir = args->devinfo_dir;
	if (!args->state_dir)
		return 0;
	if (!earlier_is_last(earlier, args->state_dir))
		host->earlier = NULL;
	return take_state_dir(args->state_dir, host, e);
}

/* The settings are the node's own; the options win. */
static enum ctl_status run(const struct command *cmd, const struct arguments *args,
			   char *const *operands)
{
	auto_earlier struct earlier earlier = { .list = NULL };
	auto_node struct node node = { 0 };
	auto_host struct host host = { .root = -1 };
	json_auto_t *facts = NULL;
	struct err e = { 0 };

	if (node_read(getenv("DEVINFO_CONF"), &node, &e) < 0 ||
	    host_open(args->root ? args->root : node.root, &host, &e) < 0 ||
	    distrust_others(&host, &e) < 0 || facts_read(&host, &facts, &e) < 0)
		return ctl_error(&e);
	host.facts = facts;
	earlier_read(&host, args->root || node.root ? NULL : getenv("DEVINFO_CONF"), &earlier);
	host.earlier = &earlier;
	if (!judge_node(cmd, &node, &host))
		return CTL_FAILED;
	if (take_directories(args, &node, &earlier, &host, &e) < 0)
		return ctl_error(&e);
	if (cmd->part == PART_LOOKS)
		tell_earlier(&host);
	return cmd->run(&host, &args->opt, operands);
}

/* words: its name and the operands. */
static enum ctl_status run_command(const struct command *cmd, const struct arguments *args,
				   char *const *words)
{
	char *const *argv = words + (cmd->name[first_word(cmd)] ? 2 : 1);
	const char *takes = cmd->takes;
	int operands = 0;

	while (argv[operands])
		operands++;
	if (operands < cmd->min || operands > cmd->max)
		return ctl_usage("wrong number of operands for %s: expected %s", cmd->name,
				 *cmd->operands ? cmd->operands : "none");
	if (cmd->part == PART_OPERAND && operands > 0)
		takes += strlen(OF_ALL);
	if (ctl_option_check(takes, cmd->name, args) != CTL_OK)
		return CTL_USAGE;
	return strchr(takes, 'r') ? run(cmd, args, argv) : cmd->run(NULL, &args->opt, argv);
}

/* words: the command and its operands, NULL-terminated. */
static enum ctl_status dispatch(const struct arguments *args, char *const *words)
{
	bool help = args->help;
	const struct command *cmd;

	if (args->version) {
		(void)puts("devinfoctl " DEVINFO_VERSION);
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
	cmd = find_command(words, help);
	if (!cmd)
		return no_command(words);
	if (!help)
		return run_command(cmd, args, words);
	print_help_of(*words);
	return CTL_OK;
}

int main(int argc, char **argv)
{
	struct arguments args = { 0 };
	enum ctl_status status;

	jx_init(NULL);
	log_pass_on_text_alone();
	status = ctl_option_parse(argc, argv, &args);
	if (status == CTL_OK)
		status = dispatch(&args, argv + optind);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("devinfoctl: stdout");
		return CTL_FAILED;
	}
	return (int)status;
}
