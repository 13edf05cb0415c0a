/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swapper.c - a pod that swaps what is in its socket directory, as fast as it can
 *
 *	swapper UID BASE DIR NAME,NAME... TARGET...
 *
 * BASE is entered as root, as a pod's mount would be; DIR is one in it, which may come and go.  As
 * UID one of the names is again and again made a link to one of the targets, a FIFO, a directory,
 * a socket, a file, another name of what is there, or nothing, and two are exchanged: the first
 * with a link for some milliseconds without a pause.  Now and then all names are taken away, so
 * that an ADD can succeed.  SIGTERM ends it; then it says how often something was changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_MAX = 8, BURST = 12, PAUSE_US = 20000, FLICKERS = 8000 };

struct pod {
	int dir;
	int names, targets;
	char *name[NAMES_MAX];
	char **target;
};

static volatile sig_atomic_t stop;
static unsigned long changed;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static const char *any_name(const struct pod *p)
{
	return p->name[rand() % p->names];
}

/* Its own directories and what is in them goes away, or at least aside. */
static int clear(const struct pod *p, const char *name)
{
	char inner[300];

	if (unlinkat(p->dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	(void)snprintf(inner, sizeof(inner), "%s/in", name);
	(void)unlinkat(p->dir, inner, 0);
	if (unlinkat(p->dir, name, AT_REMOVEDIR) == 0)
		return 0;
	return renameat2(p->dir, name, p->dir, any_name(p), RENAME_EXCHANGE);
}

static int make_link(const struct pod *p, const char *name)
{
	return symlinkat(p->target[rand() % p->targets], p->dir, name);
}

static int make_fifo(const struct pod *p, const char *name)
{
	return mkfifoat(p->dir, name, 0666);
}

static int make_directory(const struct pod *p, const char *name)
{
	char inner[300];

	if (mkdirat(p->dir, name, 0777) < 0)
		return -1;
	(void)snprintf(inner, sizeof(inner), "%s/in", name);
	return rand() % 2 ? 0 : symlinkat(p->target[0], p->dir, inner);
}

/* One that listens, or is left at once. */
static int make_socket(const struct pod *p, const char *name)
{
	static int kept = -1;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, rand() % 2 ? SOCK_STREAM : SOCK_SEQPACKET, 0), r;

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s", p->dir, name);
	r = bind(fd, (struct sockaddr *)&a, sizeof(a));
	if (kept >= 0)
		(void)close(kept);
	kept = fd;
	if (r == 0 && rand() % 2)
		(void)listen(fd, 4);
	return r;
}

static int make_file(const struct pod *p, const char *name)
{
	int fd = openat(p->dir, name, O_CREAT | O_EXCL | O_WRONLY, 0666);

	return fd < 0 ? -1 : close(fd);
}

static int make_name(const struct pod *p, const char *name)
{
	return linkat(p->dir, any_name(p), p->dir, name, 0);
}

static int make_nothing(const struct pod *p, const char *name)
{
	(void)p;
	(void)name;
	return 0;
}

static int exchange(const struct pod *p, const char *name)
{
	return renameat2(p->dir, any_name(p), p->dir, name, RENAME_EXCHANGE);
}

static void swap(const struct pod *p)
{
	static int (*const makes[])(const struct pod *p, const char *name) = {
		make_link, make_link, make_link, make_fifo, make_directory, make_socket,
		make_socket, make_file, make_name, make_nothing,
	};
	const char *name = any_name(p);

	if (rand() % 4 == 0)
		changed += exchange(p, name) == 0;
	else if (clear(p, name) == 0)
		changed += makes[(size_t)rand() % (sizeof(makes) / sizeof(*makes))](p, name) == 0;
}

/* Be there between one look at a name and the next: it is a link every other microsecond. */
static void flicker(const struct pod *p)
{
	const char *name = p->name[0], *aside = p->name[1 + rand() % (p->names - 1)];

	if (clear(p, aside) < 0 || make_link(p, aside) < 0)
		return;
	for (int i = 0; i < FLICKERS && !stop; i++)
		changed += renameat2(p->dir, name, p->dir, aside, RENAME_EXCHANGE) == 0;
}

static void burst(const struct pod *p)
{
	if (rand() % 2)
		flicker(p);
	for (int i = rand() % 2 ? BURST : 0; i > 0; i--)
		swap(p);
	for (int i = rand() % 2 ? p->names : 0; i > 0; i--)
		(void)clear(p, p->name[i - 1]);
}

static void become(const char *uid)
{
	uid_t id = (uid_t)strtoul(uid, NULL, 10);

	if (setgroups(0, NULL) < 0 || setgid(id) < 0 || setuid(id) < 0)
		exit(2);
	(void)umask(0);
}

static void take_names(struct pod *p, char *list)
{
	for (char *n = strtok(list, ","); n && p->names < NAMES_MAX; n = strtok(NULL, ","))
		p->name[p->names++] = n;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_term };
	struct pod p = { .target = argv + 5, .targets = argc - 5 };

	if (argc < 6 || chdir(argv[2]) < 0)
		return 2;
	take_names(&p, argv[4]);
	if (p.names < 2)
		return 2;
	(void)sigaction(SIGTERM, &sa, NULL);
	become(argv[1]);
	while (!stop) {
		struct timespec pause = { .tv_nsec = rand() % PAUSE_US * 1000L };

		p.dir = open(argv[3], O_PATH | O_DIRECTORY | O_NOFOLLOW);
		if (p.dir >= 0)
			burst(&p);
		if (p.dir >= 0)
			(void)close(p.dir);
		(void)nanosleep(&pause, NULL);
	}
	(void)printf("%lu\n", changed);
	return 0;
}
