/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod.c - devinfo-pod: what the containers of our images run, which have no shell
 *
 *	install		put the plugin of this image into the node's directory of CNI plugins
 *	remove		take it away again
 *	wait		do nothing until SIGTERM
 *	every		run a command again and again
 *	chroot		run a program of this image with the node's directories for its own
 *	copy		put this program where a container of another image finds it
 *	mirror		put files of a ConfigMap, or of a checkout, where the node reads them
 *
 * It takes the options that sriov-cni's image takes, so that it can stand in that one's place:
 * install/manifests/README.md.  Exit status: 0; 1 when something failed; 2 when the question was
 * wrong.
 */
#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "install/image/mirror.h"
#include "install/image/plugin.h"
#include "install/image/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
	EXIT_OK, EXIT_FAILED, EXIT_USAGE,
	SECONDS_MAX = 86400, COMMAND_MS_MIN = 60000, NODE_FILE_MAX = 1024 * 1024,
	SELF_MAX = 64 * 1024 * 1024,
};

struct options {
	struct plugin plugin;
	const char *node_file, *node_dir, *state_dir, *to;
	bool no_sleep, remove_at_end;
};

static const char usage_text[] =
	"usage: devinfo-pod install [OPTION...]\n"
	"       devinfo-pod remove [OPTION...]\n"
	"       devinfo-pod wait [OPTION...]\n"
	"       devinfo-pod every [--to=FILE] SECONDS COMMAND [ARGUMENT...]\n"
	"       devinfo-pod chroot DIR COMMAND [ARGUMENT...]\n"
	"       devinfo-pod copy FILE\n"
	"       devinfo-pod mirror FROM TO\n"
	"\n"
	"  install   put the plugin into the node's directory, and wait for SIGTERM\n"
	"  remove    take it away, put back what it replaced, and wait for SIGTERM\n"
	"  wait      wait for SIGTERM\n"
	"  every     run a command each so many seconds, with 0 once; with --to FILE becomes\n"
	"            what it prints, whole, when it has succeeded\n"
	"  chroot    run a program of this image that sees DIR as /\n"
	"  copy      make FILE a copy of this program\n"
	"  mirror    make TO a link to a copy of the files in the directory FROM, beside it,\n"
	"            of one moment and root's; what has not changed stays\n"
	"\n"
	"  --no-sleep           end when it is done, instead of waiting for SIGTERM\n"
	"  --cni-bin-dir=DIR    the node's directory of CNI plugins; /host/opt/cni/bin\n"
	"  --names=NAME,...     the other names of the plugin; sriov,ib-sriov; may be empty\n"
	"  --plugin=FILE        the plugin; /usr/bin/devinfo\n"
	"  --node-file=FILE     of install: make it devinfo.d/devinfo.json below --node-dir\n"
	"  --node-dir=DIR       the node's /etc/cni/net.d; /host/etc/cni/net.d\n"
	"  --remove-at-end      of install and wait: at SIGTERM do as remove does\n"
	"  --state-dir=DIR      remove nothing while the journal in it has attachments\n";

static int failed(const struct err *e)
{
	(void)fprintf(stderr, "devinfo-pod: %s%s%s%s\n", e->msg, *e->details ? " (" : "",
		      e->details, *e->details ? ")" : "");
	return EXIT_FAILED;
}

static int wrong(const char *what, const char *value)
{
	(void)fprintf(stderr, "devinfo-pod: %s '%s'\n\n%s", what, value, usage_text);
	return EXIT_USAGE;
}

/* -- options -- */

static bool name_is_good(const char *name)
{
	return name_is_file(name) && *name != '.' && strcmp(name, PLUGIN_NAME) != 0 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       strlen(name) &&
	       strlen(name) <= 64;
}

/* text: names with commas between them; it is cut at these. */
static bool take_names(char *text, struct plugin *p)
{
	char *rest = NULL;

	p->n = 0;
	for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		if (p->n == PLUGIN_NAMES_MAX || !name_is_good(name))
			return false;
		p->names[p->n++] = name;
	}
	return true;
}

static int take_option(int c, struct options *o)
{
	switch (c) {
	case 'n': o->no_sleep = true; break;
	case 'e': o->remove_at_end = true; break;
	case 'd': o->plugin.dir = optarg; break;
	case 'p': o->plugin.file = optarg; break;
	case 'f': o->node_file = optarg; break;
	case 'D': o->node_dir = optarg; break;
	case 's': o->state_dir = optarg; break;
	case 't': o->to = optarg; break;
	case 'N':
		if (!take_names(optarg, &o->plugin))
			return wrong("these are no names of plugins:", optarg);
		break;
	case 'h':
		(void)fputs(usage_text, stdout);
		exit(EXIT_OK);
	default:
		(void)fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int take_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "no-sleep", no_argument, NULL, 'n' },
		{ "remove-at-end", no_argument, NULL, 'e' },
		{ "cni-bin-dir", required_argument, NULL, 'd' },
		{ "names", required_argument, NULL, 'N' },
		{ "plugin", required_argument, NULL, 'p' },
		{ "node-file", required_argument, NULL, 'f' },
		{ "node-dir", required_argument, NULL, 'D' },
		{ "state-dir", required_argument, NULL, 's' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status = EXIT_OK;

	while (status == EXIT_OK && (c = getopt_long(argc, argv, "+h", options, NULL)) != -1)
		status = take_option(c, o);
	return status;
}

/* -- install, remove -- */

/* The settings for all networks of the node.  What reads them wants the directory to be root's. */
static int put_node_file(const struct options *o, struct err *e)
{
	static const char name[] = "devinfo.json";
	auto_close int root = open(o->node_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free char *text = NULL, *have = NULL;
	auto_close int dir = -1;
	size_t len = 0, have_len = 0;
	struct err ignored = { 0 };

	if (root < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", o->node_dir);
	if (fs_read_path(o->node_file, NODE_FILE_MAX, &text, &len, e) <= 0)
		return err_wrap(e, "read the node's file");
	dir = fs_open_dir(root, "/devinfo.d", 0755, e);
	if (dir < 0)
		return err_wrap(e, "%s", o->node_dir);
	if (fs_read_file(dir, name, len, &have, &have_len, &ignored) > 0 && have_len == len &&
	    memcmp(have, text, len) == 0)
		return 0;
	if (fs_write_file(dir, name, text, len, 0644, FS_SYNC_DIR, e) < 0)
		return err_wrap(e, "%s/devinfo.d", o->node_dir);
	printf("installed %s/devinfo.d/%s\n", o->node_dir, name);
	return 0;
}

/* Until SIGTERM: a container that ended would be started again. */
static void wait_for_end(void)
{
	(void)puts("waiting for SIGTERM");
	while (!deadline_interrupted()) {
		const struct deadline d = deadline_in(SECONDS_MAX * 1000U);

		deadline_sleep(&d, SECONDS_MAX * 1000U);
	}
}

/* One that is damaged is one. */
static int count_record(const char *name, void *arg, struct err *e)
{
	size_t *n = arg;

	(void)e;
	*n += *name != '.';
	return 0;
}

/* Without the plugin their pods cannot end, and their devices do not come home. */
static int check_unused(const char *state_dir, struct err *e)
{
	auto_close int root = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t n = 0;

	if (root < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", state_dir);
	if (fs_each(root, "/attachments", count_record, &n, e) < 0)
		return err_wrap(e, "%s", state_dir);
	return n == 0 ? 0 : err_set(e, ERR_BUSY, 0, "the journal in '%s' has %zu attachments: "
				    "drain the node first; nothing is removed", state_dir, n);
}

static int remove_all(const struct options *o)
{
	struct err e = { 0 };

	return (o->state_dir && check_unused(o->state_dir, &e) < 0) ||
	       plugin_remove(&o->plugin, &e) < 0 ? failed(&e) : EXIT_OK;
}

static int remove_and_wait(const struct options *o)
{
	int status = remove_all(o);

	if (status == EXIT_OK && !o->no_sleep)
		wait_for_end();
	return status;
}

static int wait_and_remove(const struct options *o)
{
	wait_for_end();
	deadline_undo();
	return o->remove_at_end ? remove_all(o) : EXIT_OK;
}

static int install(const struct options *o)
{
	struct err e = { 0 };

	if ((o->node_file && put_node_file(o, &e) < 0) || plugin_install(&o->plugin, &e) < 0)
		return failed(&e);
	return o->no_sleep ? EXIT_OK : wait_and_remove(o);
}

/* -- every -- */

/* Also in a directory that others may write: it is of this pod alone. */
static int put_output(const char *to, mode_t mode, const char *text, size_t len, struct err *e)
{
	const char *slash = strrchr(to, '/');
	char path[PATH_MAX];
	auto_close int dir = -1;

	(void)snprintf(path, sizeof(path), "%.*s", slash ? (int)(slash - to) : 1,
		       slash ? to : ".");
	dir = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_set(e, ERR_IO, errno, "open the directory of '%s'", to);
	return fs_write_file(dir, slash ? slash + 1 : to, text, len, mode, 0, e);
}

static int run_once(const struct options *o, char *const *argv, unsigned int ms, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (run_program(argv, ms, &text, &len, e) < 0)
		return -1;
	if (o->to)
		return put_output(o->to, 0644, text, len, e);
	return fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0 ?
		       0 : err_set(e, ERR_IO, errno, "write");
}

/* Nodes that were started at once do not go on asking at once. */
static unsigned int with_some_more(unsigned int ms)
{
	unsigned int more = 0;

	return getrandom(&more, sizeof(more), GRND_NONBLOCK) < 0 ? ms : ms + more % (ms / 10 + 1);
}

/* In milliseconds. */
static bool read_seconds(const char *text, unsigned int *ms)
{
	char *end = NULL;
	unsigned long seconds = strtoul(text, &end, 10);

	*ms = (unsigned int)seconds * 1000;
	return *text && !*end && seconds <= SECONDS_MAX;
}

static int every(const struct options *o, char *const *argv)
{
	unsigned int ms;
	int status;

	if (!*argv || !read_seconds(*argv, &ms) || !argv[1])
		return wrong("expected a number of seconds up to 86400 and a command, not",
			     *argv ? *argv : "");
	for (;;) {
		struct err e = { 0 };
		struct deadline d;

		status = run_once(o, argv + 1, ms > COMMAND_MS_MIN ? ms : COMMAND_MS_MIN, &e) < 0 ?
				 failed(&e) : EXIT_OK;
		if (ms == 0)
			return status;
		d = deadline_in(2 * ms);
		deadline_sleep(&d, with_some_more(ms));
		if (deadline_interrupted())
			return EXIT_OK;
	}
}

/* -- chroot -- */

/*
 * The program is opened before, for it is none of the node's.  It has to be static, or the node has
 * its libraries.  argv: the directory, then the command.
 */
static int run_in(char *const *argv)
{
	const char *dir = argv[0], *name = dir ? argv[1] : NULL;
	auto_close int fd = -1;
	char path[PATH_MAX];
	struct err e = { 0 };

	if (!name)
		return wrong("expected a directory and a command after", "chroot");
	(void)snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/usr/bin/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && chroot(dir) == 0 && chdir("/") == 0)
		(void)fexecve(fd, argv + 1, environ);
	(void)err_set(&e, ERR_IO, errno, "run '%s' in '%s'", path, dir);
	return failed(&e);
}

/* -- copy -- */

static int copy(const char *to)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	auto_free char *data = NULL;
	struct err e = { 0 };
	size_t len = 0;

	self[n < 0 ? 0 : n] = '\0';
	if (fs_read_path(self, SELF_MAX, &data, &len, &e) <= 0 ||
	    put_output(to, 0755, data, len, &e) < 0)
		return failed(&e);
	return EXIT_OK;
}

/* -- mirror -- */

static int mirror_files(const char *from, const char *to)
{
	struct err e = { 0 };
	size_t n = 0;
	int r = mirror(from, to, &n, &e);

	if (r > 0)
		printf("%s has %zu files now\n", to, n);
	return r < 0 ? failed(&e) : EXIT_OK;
}

/* What is behind the options of a verb that has operands. */
static int run_verb(const char *verb, const struct options *o, char *const *argv)
{
	if (strcmp(verb, "every") == 0)
		return every(o, argv);
	if (strcmp(verb, "chroot") == 0)
		return run_in(argv);
	if (strcmp(verb, "copy") == 0 && argv[0] && !argv[1])
		return copy(argv[0]);
	if (strcmp(verb, "mirror") == 0 && argv[0] && argv[1] && !argv[2])
		return mirror_files(argv[0], argv[1]);
	if (*argv)
		return wrong("nothing was expected here:", *argv);
	if (strcmp(verb, "wait") == 0)
		return wait_and_remove(o);
	if (strcmp(verb, "install") == 0)
		return install(o);
	return strcmp(verb, "remove") == 0 ? remove_and_wait(o) : wrong("unknown word", verb);
}

int main(int argc, char **argv)
{
	static char names[] = "sriov,ib-sriov";
	struct options o = {
		.plugin = { .file = "/usr/bin/devinfo", .dir = "/host/opt/cni/bin" },
		.node_dir = "/host/etc/cni/net.d",
	};
	const char *verb = argc > 1 ? argv[1] : "--help";
	int status;

	if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
		(void)fputs(usage_text, stdout);
		return EXIT_OK;
	}
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	deadline_catch_signals();
	(void)take_names(names, &o.plugin);
	status = take_options(argc - 1, argv + 1, &o);
	if (status != EXIT_OK)
		return status;
	return run_verb(verb, &o, argv + 1 + optind);
}
