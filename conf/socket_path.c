/* SPDX-License-Identifier: Apache-2.0 */
/* socket_path.c - where an attachment's socket is, for the host, the container and the switch */
#include "conf/socket_path.h"

#include "base/name.h"
#include "base/siphash.h"
#include "conf/socket_slot.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_CONTAINER_DIR	"/run/devinfo/sockets"
#define DEFAULT_NAME		"{ifname}.sock"

enum { SHORT_ID = 12 };			/* bytes */

/* -- templates -- */

static const struct variable {
	const char *name;
	size_t offset;			/* in struct socket_vars */
	const char *from;		/* who says it, for messages */
} words_known[] = {
	{ "podUID", offsetof(struct socket_vars, pod_uid), "K8S_POD_UID in CNI_ARGS" },
	{ "podName", offsetof(struct socket_vars, pod_name), "K8S_POD_NAME in CNI_ARGS" },
	{ "podNamespace", offsetof(struct socket_vars, pod_namespace),
	  "K8S_POD_NAMESPACE in CNI_ARGS" },
	{ "containerID", offsetof(struct socket_vars, container_id), "CNI_CONTAINERID" },
	{ "shortID", offsetof(struct socket_vars, short_id), "CNI_CONTAINERID" },
	{ "network", offsetof(struct socket_vars, network), "the configuration's name" },
	{ "ifname", offsetof(struct socket_vars, ifname), "CNI_IFNAME" },
};

/* A piece of a template: a variable, or the text between two. */
struct piece {
	const struct variable *variable;	/* NULL: s */
	const char *s;
	size_t len;
};

static const struct variable *find_variable(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words_known); i++)
		if (strlen(words_known[i].name) == len && memcmp(words_known[i].name, s, len) == 0)
			return &words_known[i];
	return NULL;
}

/* The piece at *pos, which moves behind it; 0 at the end. */
static int next_piece(const char **pos, const char *key, struct piece *ret, struct err *e)
{
	const char *s = *pos;
	size_t len = strcspn(s, "{}");

	if (!*s)
		return 0;
	*ret = (struct piece){ .s = s, .len = len };
	if (len == 0) {
		len = strcspn(s + 1, "{}");
		ret->variable = *s == '{' && s[len + 1] == '}' ? find_variable(s + 1, len) : NULL;
		if (!ret->variable)
			return err_set(e, ERR_NETCONF, 0,
				       "%s: '%.64s': expected {podUID}, {podName}, {podNamespace}, "
				       "{containerID}, {shortID}, {network} or {ifname}",
				       key, s);
		len += 2;
	}
	*pos = s + len;
	return 1;
}

int socket_template_check(const char *text, const char *key, struct err *e)
{
	struct piece p;
	int r;

	while ((r = next_piece(&text, key, &p, e)) > 0)
		;
	return r;
}

/* What a template has become; len counts what there was no room for as well. */
struct text {
	char s[4096];
	size_t len;
};

static void text_add(struct text *t, const char *s, size_t len)
{
	size_t room = t->len < sizeof(t->s) - 1 ? sizeof(t->s) - 1 - t->len : 0;

	if (room > 0) {
		memcpy(t->s + t->len, s, len < room ? len : room);
		t->s[t->len + (len < room ? len : room)] = '\0';
	}
	t->len += len;
}

/* Consumers take paths apart: DPDK and QEMU at commas and '=', scripts at blanks. */
static bool is_plain(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '=' || *s == ',')
			return false;
	return true;
}

static int add_var(struct text *t, const struct variable *w, const struct socket_vars *vars,
		    const char *key, struct err *e)
{
	const char *v;

	memcpy(&v, (const char *)vars + w->offset, sizeof(v));
	if (!v || !*v)
		return err_set(e, ERR_ENV, 0, "%s: {%s} needs %s", key, w->name, w->from);
	if (!name_is_file(v) || !is_plain(v))
		return err_set(e, ERR_ENV, 0, "%s: {%s}: '%.64s' cannot be in a socket's path",
			       key, w->name, v);
	text_add(t, v, strlen(v));
	return 0;
}

/* Append what a template becomes. */
static int expand(const char *template, const char *key, const struct socket_vars *vars,
		  struct text *ret, struct err *e)
{
	struct piece p;
	int r;

	while ((r = next_piece(&template, key, &p, e)) > 0)
		if (!p.variable)
			text_add(ret, p.s, p.len);
		else if (add_var(ret, p.variable, vars, key, e) < 0)
			return -1;
	return r;
}

/* -- paths -- */

static bool is_dots(const char *s, size_t len)
{
	return (len == 1 && s[0] == '.') || (len == 2 && s[0] == '.' && s[1] == '.');
}

/* No component is empty, "." or ".."; s begins with the first. */
static bool has_proper_components(const char *s)
{
	for (;;) {
		size_t len = strcspn(s, "/");

		if (len == 0 || is_dots(s, len))
			return false;
		if (!s[len])
			return true;
		s += len + 1;
	}
}

static int check_bytes(const char *s, const char *what, struct err *e)
{
	if (*s == '@')
		return err_set(e, ERR_NETCONF, 0,
			       "%s: '%.64s': an abstract socket cannot be reached from a pod", what,
			       s);
	if (!is_plain(s))
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.107s': must be printable bytes "
			       "without blank, '=' and ','", what, s);
	return 0;
}

static int check_length(size_t len, const char *path, const char *what, struct err *e)
{
	if (len < SOCKET_PATH_MAX)
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "%s: %zu bytes are over the %d of a unix socket: '%.108s%s'", what, len,
		       SOCKET_PATH_MAX - 1, path, len > SOCKET_PATH_MAX ? "..." : "");
}

static int check_absolute(const char *path, const char *what, struct err *e)
{
	if (check_bytes(path, what, e) < 0)
		return -1;
	if (*path != '/')
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.107s': must be an absolute path",
			       what, path);
	if (!has_proper_components(path + 1))
		return err_set(e, ERR_NETCONF, 0,
			       "%s: '%.107s' has an empty component, '.' or '..'", what, path);
	return 0;
}

int socket_path_check(const char *path, const char *what, struct err *e)
{
	if (check_absolute(path, what, e) < 0)
		return -1;
	return check_length(strlen(path), path, what, e);
}

/* -- one socket -- */

/* "/run/x/" is as good as "/run/x". */
static void trim_slash(struct text *t)
{
	if (t->len > 1 && t->len < sizeof(t->s) && t->s[t->len - 1] == '/')
		t->s[--t->len] = '\0';
}

static int expand_dir(const char *template, const char *key, const struct socket_vars *vars,
		      struct text *ret, struct err *e)
{
	if (expand(template, key, vars, ret, e) < 0)
		return -1;
	trim_slash(ret);
	return check_absolute(ret->s, key, e);
}

static bool ends_in(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && strcmp(s + len - n, end) == 0;
}

static int expand_name(const char *template, const char *key, const struct socket_vars *vars,
		       struct text *ret, struct err *e)
{
	if (expand(template, key, vars, ret, e) < 0 || check_bytes(ret->s, key, e) < 0)
		return -1;
	if (!name_is_file(ret->s))
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.64s': must be the name of a file",
			       key, ret->s);
	return ends_in(ret->s, SOCKET_SECRET_END) ?
		       err_set(e, ERR_NETCONF, 0, "%s: '%.64s': names with " SOCKET_SECRET_END
			       " at the end are those of memif's secrets", key, ret->s) : 0;
}

/* A directory of each pod, or else each container, of its own. */
static const char *default_host_dir(const struct socket_conf *c, const struct socket_vars *vars)
{
	if (c->host_base)
		return c->host_base;
	return vars->pod_uid && *vars->pod_uid ? "{podUID}" : "{containerID}";
}

static bool is_value(const char *first, const char *variable)
{
	return variable && strcmp(first, variable) == 0;
}

static bool is_listed(const char *first, const json_t *patterns)
{
	const json_t *v;
	size_t i;

	json_array_foreach(patterns, i, v)
		if (fnmatch(json_string_value(v), first, FNM_PERIOD) == 0)
			return true;
	return false;
}

enum socket_id socket_path_id(const char *s)
{
	static const char uuid[] = "00000000-0000-0000-0000-000000000000";
	size_t len = strlen(s), i;

	for (i = 0; len == sizeof(uuid) - 1 && i < len; i++)
		if (uuid[i] == '-' ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
			return SOCKET_NO_ID;
	if (len == sizeof(uuid) - 1)
		return SOCKET_POD_ID;
	if (strspn(s, "0123456789abcdefABCDEF") != len)
		return SOCKET_NO_ID;
	return len == 32		     ? SOCKET_POD_ID :
	       len == SHORT_ID || len == 64 ? SOCKET_CONTAINER_ID :
					      SOCKET_NO_ID;
}

/* A namespace may be called so as well. */
static bool is_id(const char *s)
{
	return socket_path_id(s) != SOCKET_NO_ID;
}

static bool is_own_id(const char *first, const struct socket_vars *vars)
{
	return is_value(first, vars->pod_uid) || is_value(first, vars->container_id) ||
	       is_value(first, vars->short_id);
}

/* Tenants choose names, and no ids: of what could be either nobody can tell whose it is. */
static int refuse_form(const char *first, const char *key, struct err *e)
{
	return is_id(first) ?
	       err_set(e, ERR_NETCONF, 0, "%s: '%.64s' is a name in the form of a pod's UID or a "
		       "container's id: below socketDir such a directory is that pod's or that "
		       "container's alone; expected {podUID} or {containerID}", key, first) :
	       err_set(e, ERR_NETCONF, 0, "%s: '%.64s' does not have the form of a pod's UID or a "
		       "container's id: below socketDir it could be a namespace's; expected "
		       "{podNamespace}, or a name that hostDirs of the node's file allows", key,
		       first);
}

/*
 * Below socketDir each pod, or namespace, is in a directory of its own: a network's writer who
 * guesses another's name would share its sockets, or be there first.  Ids and names are told apart
 * by their form, so that no namespace is called like a pod.  Without a namespace there is no
 * Kubernetes, and who calls us chooses the ids.
 */
static int check_first(const char *dir, const char *key, const struct settings *set,
		       const struct socket_vars *vars, struct err *e)
{
	bool has_namespace = vars->pod_namespace && *vars->pod_namespace, named;
	char first[SOCKET_PATH_MAX];

	(void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(dir, "/"), dir);
	if (strcmp(first, SOCKET_SLOT_DIR) == 0)
		return err_set(e, ERR_NETCONF, 0, "%s: below '" SOCKET_SLOT_DIR "' are the sockets "
			       "that devinfod gives to pods", key);
	named = is_value(first, vars->pod_namespace) || is_listed(first, set->host_dirs);
	if (is_id(first) ? is_own_id(first, vars) :
			   named || (!has_namespace && is_own_id(first, vars)))
		return 0;
	if (named || is_own_id(first, vars))
		return refuse_form(first, key, e);
	return err_set(e, ERR_NETCONF, 0, "%s: '%.107s' is not the pod's: below socketDir it "
		       "must begin with {podUID}, {podNamespace} or {containerID}, or with a name "
		       "that hostDirs of the node's file allows", key, dir);
}

/* What does not begin with '/' is below root. */
static int expand_host_dir(const struct socket_conf *c, const struct settings *set,
			   const char *root, const struct socket_vars *vars, struct text *ret,
			   struct err *e)
{
	const char *template = c->host_dir ? c->host_dir : default_host_dir(c, vars);
	const char *key = c->host_dir_key ? c->host_dir_key : "hostDir";
	size_t len = strlen(root);

	if (*template != '/') {
		if (check_bytes(template, key, e) < 0)
			return -1;
		text_add(ret, root, len);
		text_add(ret, "/", 1);
	}
	if (expand(template, key, vars, ret, e) < 0)
		return -1;
	trim_slash(ret);
	if (!c->host_dir && c->host_base && expand("/{shortID}", key, vars, ret, e) < 0)
		return -1;
	if (check_absolute(ret->s, key, e) < 0)
		return -1;
	if (strncmp(ret->s, root, len) != 0 || ret->s[len] != '/')
		return err_set(e, ERR_NETCONF, 0, "%s: '%.107s' is not below socketDir '%.64s': "
			       "set socketDir in the node's file to a directory above it", key,
			       ret->s, root);
	return check_first(ret->s + len + 1, key, set, vars, e);
}

static int join(const struct text *dir, const struct text *name, const char *what,
		char ret[SOCKET_PATH_MAX], struct err *e)
{
	struct text path = *dir;

	text_add(&path, "/", 1);
	text_add(&path, name->s, name->len);
	if (check_length(path.len, path.s, what, e) < 0)
		return -1;
	memcpy(ret, path.s, path.len + 1);
	return 0;
}

/*
 * Who writes to runDir/links is root alone, so that a link there leads where it did.  The end of
 * dir is a tenant's, who must not make another one of the same hash: FNV would be easy.
 */
static int shorten(const struct settings *set, const struct text *dir, struct text *ret,
		   struct err *e)
{
	static const uint8_t links[SIPHASH_KEY] = "devinfo's links";
	char name[sizeof("/links/") + 16];
	uint64_t hash = siphash(links, dir->s, strlen(dir->s));
	int n = snprintf(name, sizeof(name), "/links/%016" PRIx64, hash);

	text_add(ret, set->run_dir, strlen(set->run_dir));
	trim_slash(ret);
	text_add(ret, name, (size_t)n);
	return check_absolute(ret->s, "runDir", e);
}

/* By way of a link where it is too long, and where that helps. */
static int join_host(const struct settings *set, const struct text *dir, size_t root,
		     const struct text *name, struct socket_paths *p, struct err *e)
{
	struct text link = { .len = 0 };

	if (dir->len + 1 + name->len < SOCKET_PATH_MAX)
		return join(dir, name, "path on the host", p->host, e);
	if (shorten(set, dir, &link, e) < 0)
		return -1;
	if (dir->len - root > SOCKET_PATH_MAX || link.len + 1 + name->len >= SOCKET_PATH_MAX)
		return join(dir, name, "path on the host", p->host, e);	/* which is refused */
	memcpy(p->link, link.s, link.len + 1);
	return join(&link, name, "path on the host", p->host, e);
}

static int set_root(const char *socket_dir, struct text *ret, struct err *e)
{
	text_add(ret, socket_dir, strlen(socket_dir));
	trim_slash(ret);
	return check_absolute(ret->s, "socketDir", e);
}

int socket_path_in_switch(const struct settings *set, const char *path, char ret[SOCKET_PATH_MAX],
			  struct err *e)
{
	struct text root = { .len = 0 }, seen = { .len = 0 };

	if (set_root(set->socket_dir, &root, e) < 0)
		return -1;
	if (set->switch_dir && strncmp(path, root.s, root.len) == 0 && path[root.len] == '/') {
		text_add(&seen, set->switch_dir, strlen(set->switch_dir));
		trim_slash(&seen);
		path += root.len;
	}
	text_add(&seen, path, strlen(path));
	if (check_length(seen.len, seen.s, "path in the switch", e) < 0)
		return -1;
	memcpy(ret, seen.s, seen.len + 1);
	return 0;
}

/*
 * What userspace-cni calls a container: the head of its id, where that is the 256 random bits that
 * engines give.  Of another id the head may be that of others as well, so it is the whole.
 */
static const char *short_id(const char *id, char buf[SHORT_ID + 1])
{
	if (!id || strlen(id) != 64 || strspn(id, "0123456789abcdef") != 64)
		return id;
	(void)snprintf(buf, SHORT_ID + 1, "%.*s", SHORT_ID, id);
	return buf;
}

int socket_paths_make(const struct socket_conf *c, const struct settings *set,
		      const struct socket_vars *said, struct socket_paths *ret, struct err *e)
{
	struct text root = { .len = 0 }, host = { .len = 0 }, container = { .len = 0 };
	struct text name = { .len = 0 };
	struct socket_vars vars = *said;
	char head[SHORT_ID + 1];
	struct socket_paths p = { .link = "" };

	vars.short_id = short_id(said->container_id, head);
	if (set_root(set->socket_dir, &root, e) < 0 ||
	    expand_host_dir(c, set, root.s, &vars, &host, e) < 0 ||
	    expand_dir(c->container_dir ? c->container_dir : DEFAULT_CONTAINER_DIR,
		       c->container_dir_key ? c->container_dir_key : "containerDir", &vars,
		       &container, e) < 0 ||
	    expand_name(c->name ? c->name : DEFAULT_NAME, c->name_key ? c->name_key : "socket",
			&vars, &name, e) < 0 ||
	    check_length(root.len, root.s, "socketDir", e) < 0 ||
	    join_host(set, &host, root.len, &name, &p, e) < 0 ||
	    join(&container, &name, "path in the container", p.container, e) < 0 ||
	    socket_path_in_switch(set, p.host, p.in_switch, e) < 0)
		return -1;
	memcpy(p.root, root.s, root.len + 1);
	memcpy(p.dir, host.s + root.len + 1, host.len - root.len);
	memcpy(p.name, name.s, name.len + 1);
	*ret = p;
	return 0;
}
