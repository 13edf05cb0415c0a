/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - run another plugin */
#include "cni/plugins/exec.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BUSY_MS = 50,		/* until a plugin that is being written is tried again */
	LINE_LEN = 160,		/* bytes of its stdout in an error */
	RESULT_DEPTH = 512, RESULT_VALUES = JX_VALUES_MAX / 2,
};

#define DEPTH	"DEVINFO_DEPTH"		/* how many devinfo a program is run by */

/* Is no file there, as far as we may look? */
static bool is_absent(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == EACCES || sys == ELOOP ||
	       sys == ENAMETOOLONG;
}

/*
 * Like libcni: the first regular file of that name; only absolute directories are searched.  Where
 * one of them could not be looked at, *sys is why, else 0.
 */
static bool find(const char *cni_path, const char *type, char ret[PATH_MAX], int *sys)
{
	struct stat st;

	*sys = 0;

	for (const char *p = cni_path; *p;) {
		size_t len = strcspn(p, ":");
		int n = snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, p, type);

		bool is_place = *p == '/' && n < PATH_MAX;
		bool is_there = is_place && stat(ret, &st) == 0;

		if (is_there && S_ISREG(st.st_mode))
			return true;
		if (is_place && !is_there && !is_absent(errno))
			*sys = errno;
		p += len + (p[len] == ':');
	}
	return false;
}

static int find_plugin(const char *cni_path, const char *type, char ret[PATH_MAX], struct err *e)
{
	int sys;

	if (!name_is_file(type))
		return err_set(e, ERR_NETCONF, 0, "plugin type '%.64s' is not a file name", type);
	if (!*cni_path)
		return err_set(e, ERR_ENV, 0, "required env variables [CNI_PATH] missing");
	if (!find(cni_path, type, ret, &sys)) {
		if (sys)
			return err_set(e, ERR_IO, sys, "look for plugin %s", type);
		(void)err_set(e, ERR_DELEGATE, 0, "plugin %s is in no directory of CNI_PATH", type);
		return err_detail(e, "CNI_PATH is %.300s", cni_path);
	}
	return 0;
}

/* The same bytes, be it a link or a copy. */
static bool is_this_program(const char *path)
{
	auto_close int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char a[4096], b[sizeof(a)];
	ssize_t n;

	for (off_t at = 0; own >= 0 && fd >= 0; at += n) {
		n = pread(own, a, sizeof(a), at);
		if (n < 0 || pread(fd, b, sizeof(b), at) != n || memcmp(a, b, (size_t)n) != 0)
			return false;
		if (n == 0)
			return true;
	}
	return false;
}

bool exec_is_another(const char *cni_path, const char *type)
{
	char file[PATH_MAX];
	int sys;

	return name_is_file(type) && find(cni_path, type, file, &sys) && !is_this_program(file);
}

at_start int exec_check_depth(struct err *e)
{
	const char *depth = getenv(DEPTH);

	if (!depth || !*depth)
		return 0;
	/* install.sh knows us by these words */
	(void)err_set(e, ERR_NETCONF, ELOOP, "devinfo cannot be run by devinfo");
	return err_detail(e, DEPTH " is %.16s: a delegate or IPAM plugin must be another program",
			  depth);
}

static int start(struct exec_run *run, const char *file, struct err *e)
{
	const struct exec_call *call = &run->call;
	const struct exec_as *as = call->as;
	const struct program_var vars[] = {
		{ "CNI_COMMAND", call->command },
		{ "CNI_PATH", call->cni_path },
		{ DEPTH, "1" },
		{ "CNI_CONTAINERID", as ? as->container_id : NULL },
		{ "CNI_NETNS", as ? as->netns : NULL },
		{ "CNI_IFNAME", as ? as->ifname : NULL },
	};
	struct program *p = &run->program;

	if (deadline_left_ms(&run->until) == 0)
		return deadline_error(ERR_TRY_AGAIN, e, "%s %s is not started", p->what,
				      call->type);
	p->request = call->request;
	p->left = call->len;
	return program_start(p, file, call->type, vars, ARRAY_SIZE(vars), e);
}

/* For an error: runs of blanks and control characters become one blank. */
static const char *one_line(const char *text, size_t len, char ret[PROGRAM_TAIL + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < PROGRAM_TAIL; i++) {
		unsigned char b = (unsigned char)text[i];

		if (!isspace(b) && !iscntrl(b))
			ret[n++] = text[i];
		else if (n > 0 && ret[n - 1] != ' ')
			ret[n++] = ' ';
	}
	if (n > 0 && ret[n - 1] == ' ')
		n--;
	ret[n] = '\0';
	return ret;
}

/* What it printed, for an error of ours about it. */
static int add_output(const struct program *p, struct err *e)
{
	const char *end = p->len > 0 ? memchr(p->text, '\n', p->len) : NULL;
	size_t len = end ? (size_t)(end - p->text) : p->len;
	char line[PROGRAM_TAIL + 1];

	if (*one_line(p->text, len < LINE_LEN ? len : LINE_LEN, line))
		(void)err_detail(e, "stdout: %s", line);
	if (*one_line(p->tail, p->tail_len, line))
		(void)err_detail(e, "stderr: %s", line);
	return -1;
}

/* The plugin's own error, with its code; false when what it printed is none. */
static bool is_error(const struct program *p, struct err *e)
{
	struct err ignored;
	json_auto_t *out =
		p->len > 0 ? jx_parse(p->text, p->len, ERR_DELEGATE, p->name, &ignored) : NULL;
	const char *msg = NULL, *details = NULL;
	json_int_t code = 0;

	if (!json_is_object(out) || jx_int(out, "", "code", 1, INT_MAX, &code, &ignored) != 1 ||
	    jx_string(out, "", "msg", &msg, &ignored) != 1 || !*msg)
		return false;
	(void)err_set(e, (enum err_code)code, 0, "%s %s: %s", p->what, p->name, msg);
	if (jx_string(out, "", "details", &details, &ignored) == 1 && *details)
		(void)err_detail(e, "%s", details);
	return true;
}

/* Is it for want of memory, processes or descriptors that a program was not started? */
static bool is_want(int sys)
{
	return sys == ENOMEM || sys == EAGAIN || sys == EMFILE || sys == ENFILE;
}

static int failed(const struct program *p, bool *refused, struct err *e)
{
	*refused = is_error(p, e);
	if (*refused)
		return -1;
	if (WIFSIGNALED(p->child.status))
		(void)err_set(e, deadline_interrupted() ? ERR_INTERRUPTED : ERR_DELEGATE, 0,
			      "%s %s died of signal %d", p->what, p->name,
			      WTERMSIG(p->child.status));	/* as we were told to, perhaps */
	else
		(void)err_set(e, ERR_DELEGATE, 0,
			      "%s %s ended with status %d and no usable error object", p->what,
			      p->name, WEXITSTATUS(p->child.status));
	return add_output(p, e);
}

/* libcni does not look at what the other verbs print when they succeed. */
static bool has_result(const char *command)
{
	return strcmp(command, "ADD") == 0 || strcmp(command, "VERSION") == 0;
}

/* Others nest it in what they write, the record among them: each has room for that. */
static bool is_within(const json_t *v, unsigned int depth, size_t *values)
{
	const char *key;
	json_t *member;
	size_t i;

	if (++*values > RESULT_VALUES || depth > RESULT_DEPTH)
		return false;
	json_array_foreach(v, i, member)
		if (!is_within(member, depth + 1, values))
			return false;
	json_object_foreach((json_t *)(uintptr_t)v, key, member)
		if (!is_within(member, depth + 1, values))
			return false;
	return true;
}

static int succeeded(const struct program *p, const char *command, json_t **ret, struct err *e)
{
	char line[PROGRAM_TAIL + 1];
	json_auto_t *out = NULL;
	size_t values = 0;

	(void)one_line(p->text, p->len, line);
	if (has_result(command) && *line && strcmp(line, "null") != 0) {
		out = jx_parse(p->text, p->len, ERR_DELEGATE, p->name, e);
		if (!out) {
			(void)err_wrap(e, "plugin %s succeeded with a result that cannot be read",
				       p->name);
			return add_output(p, e);
		}
		if (!is_within(out, 1, &values))
			return err_set(e, ERR_DELEGATE, 0, "plugin %s succeeded with a result "
				       "that is too large: expected at most %d values, %d deep",
				       p->name, RESULT_VALUES, RESULT_DEPTH);
	}
	*ret = steal_ptr(&out);
	return 0;
}

/* Its end; *refused as exec_plugin() has it. */
static int finish(struct exec_run *run, bool *refused, struct err *e)
{
	struct program *p = &run->program;
	int why;

	*refused = false;
	if (program_talk(p, &run->until, e) < 0)
		return add_output(p, e);
	why = program_exec_errno(p);
	if (why) {
		*refused = true;
		return err_set(e, is_want(why) ? ERR_IO : ERR_DELEGATE, why,
			       "%s %s cannot be executed%s", p->what, p->name,
			       why == ETXTBSY ? ": it is being installed" : "");
	}
	if (!WIFEXITED(p->child.status) || WEXITSTATUS(p->child.status) != 0)
		return failed(p, refused, e);
	return 0;
}

int exec_program(int fd, const struct exec_call *call, const struct deadline *d, struct err *e)
{
	auto_exec_run struct exec_run run = EXEC_RUN_NONE;
	bool refused;
	char file[32];

	run.program.what = "program";
	run.call = *call;
	run.until = *d;
	(void)snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	if (fcntl(fd, F_SETFD, 0) < 0)	/* the interpreter of a script opens it again */
		return err_set(e, ERR_IO, errno, "start program %s", call->type);
	return start(&run, file, e) < 0 ? -1 : finish(&run, &refused, e);
}

int exec_start(struct exec_run *run, const struct exec_call *c, const struct deadline *d,
	       struct err *e)
{
	char file[PATH_MAX];

	run->call = *c;
	run->until = *d;
	return find_plugin(c->cni_path, c->type, file, e) < 0 ? -1 : start(run, file, e);
}

/* One that was being written when it was started is started once more. */
static int finish_second(struct exec_run *run, bool *refused, struct err *e)
{
	struct exec_call call = run->call;
	struct deadline until = run->until;

	deadline_sleep(&until, BUSY_MS);
	exec_run_done(run);
	return exec_start(run, &call, &until, e) < 0 ? -1 : finish(run, refused, e);
}

int exec_collect(struct exec_run *run, json_t **ret, bool *refused, struct err *e)
{
	int r = finish(run, refused, e);

	if (r < 0 && *refused && e->sys == ETXTBSY)
		r = finish_second(run, refused, e);
	return r < 0 ? -1 : succeeded(&run->program, run->call.command, ret, e);
}

int exec_plugin(const struct exec_call *c, const struct deadline *d, json_t **ret, bool *refused,
		struct err *e)
{
	auto_exec_run struct exec_run run = EXEC_RUN_NONE;

	*refused = true;
	return exec_start(&run, c, d, e) < 0 ? -1 : exec_collect(&run, ret, refused, e);
}

void exec_run_done(struct exec_run *run)
{
	program_done(&run->program);
	*run = (struct exec_run)EXEC_RUN_NONE;
}
