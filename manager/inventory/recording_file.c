/* SPDX-License-Identifier: Apache-2.0 */
/* recording_file.c - what is written of one file, link or directory of a node */
#include "manager/inventory/recording_part.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/journal/earlier.h"
#include "manager/inventory/known.h"
#include "manager/inventory/tar.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 20, FILES_MAX = 200000, TORN_MAX = 1024 };
static const char checkpoint_file[] = "kubelet_internal_checkpoint";

void recording_init(struct recording *r)
{
	scrub_init(&r->scrub);
	r->seen = json_object();
}

void recording_done(struct recording *r)
{
	scrub_done(&r->scrub);
	json_decref(r->seen);
}

/*
 * The path in the archive, owned; NULL when it is there already.  /var/run leads to /run, here as
 * on the node: an archive cannot have files behind a link.
 */
static char *take_path(struct recording *r, const char *path)
{
	static const char var_run[] = "/var/run";
	size_t n = strlen(var_run);
	char target[PATH_MAX];
	char *ret;

	if (strncmp(path, "/var/run/", n + 1) == 0 && recording_link(r, var_run, target))
		path += strlen("/var");
	ret = scrub_text(&r->scrub, path);
	if (ret && !json_object_get(r->seen, ret) && json_object_size(r->seen) < FILES_MAX &&
	    json_object_set_new(r->seen, ret, json_true()) == 0)
		return ret;
	free(ret);
	return NULL;
}

/* -- forms: each returns a text, owned; NULL: it cannot be said -- */

static char *as_hex(struct recording *r, const char *text, size_t len)
{
	(void)len;
	return scrub_hex(&r->scrub, text);
}

static char *as_text(struct recording *r, const char *text, size_t len)
{
	(void)len;
	return scrub_text(&r->scrub, text);
}

static char *as_numbers(struct recording *r, const char *text, size_t len)
{
	(void)r, (void)text, (void)len;
	return strdup("0:0\n");
}

static char *as_empty(struct recording *r, const char *text, size_t len)
{
	(void)r, (void)text, (void)len;
	return strdup("");
}

/* New reference; NULL: it is none. */
static json_t *parse(const char *text, size_t len)
{
	struct err ignored;

	return len > 0 ? jx_parse(text, len, ERR_DECODE, "", &ignored) : NULL;
}

/* A text of one word. */
static char *as_word(struct recording *r, const char *text, size_t len)
{
	auto_free char *word = strndup(text, strcspn(text, "\n"));

	(void)len;
	return word && known_is_word(word) ? scrub_text(&r->scrub, word) : strdup(LEFT_OUT);
}

static void put_assignment(struct recording *r, char *line, FILE *to)
{
	char *value = strchr(line, '=');
	json_auto_t *pair = NULL;

	if (!known_is_assignment(line))
		return;
	if (value)
		*value++ = '\0';
	pair = json_pack("{s:s}", line, value ? value : "");
	scrub_json(&r->scrub, pair);
	if (value)
		(void)fprintf(to, "%s=%s\n", line, json_string_value(json_object_get(pair, line)));
	else
		(void)fprintf(to, "%s\n", line);
}

static char *as_assigned(struct recording *r, const char *text, size_t len)
{
	auto_free char *copy = strdup(text);
	char *ret = NULL, *at = copy, *line;
	FILE *to = copy ? open_memstream(&ret, &len) : NULL;

	if (!to)
		return NULL;
	while ((line = strsep(&at, "\n")))
		put_assignment(r, line, to);
	if (fclose(to) == 0)
		return ret;
	free(ret);
	return NULL;
}

static char *dump_known(struct recording *r, json_t *doc, const struct known *of)
{
	size_t len;

	known_keep(doc, of);
	scrub_json(&r->scrub, doc);
	return jx_dump(doc, &len);
}

/* What is no JSON, or torn, stays that, and nobody knows what is in it. */
static char *as_json(struct recording *r, const char *text, size_t len, const struct known *of)
{
	json_auto_t *doc = parse(text, len);

	return doc ? dump_known(r, doc, of) : strdup(len > 0 ? "no JSON: left out\n" : "");
}

/* Version, network, container and interface stand first: the members that are whole, owned. */
static json_t *parse_torn(const char *text)
{
	auto_free char *first = strndup(text, TORN_MAX);
	char *end = first;

	for (int members = 0; first && *end && members < 4; end++)
		members += *end == ',';
	while (first && end > first && *end != ',')
		end--;
	if (!first || *end != ',')
		return NULL;
	end[0] = '}';
	end[1] = '\0';
	return parse(first, strlen(first));
}

static char *as_record(struct recording *r, const char *text, size_t len)
{
	json_auto_t *doc = parse(text, len);
	json_auto_t *torn = doc ? NULL : parse_torn(text);
	char *ret = torn ? dump_known(r, torn, &known_record) : NULL;

	if (!ret)
		return as_json(r, text, len, &known_record);
	ret[strcspn(ret, "}")] = '\0';	/* it is still torn */
	return ret;
}

#define AS_JSON(name, known)								\
	static char *name(struct recording *r, const char *text, size_t len)		\
	{										\
		return as_json(r, text, len, &(known));					\
	}

AS_JSON(as_ledger, known_ledger)
AS_JSON(as_earlier, known_earlier)
AS_JSON(as_device_info, known_device_info)
AS_JSON(as_status, known_status)
AS_JSON(as_cache, known_cache)
AS_JSON(as_conf, known_conf)
AS_JSON(as_node_file, known_node_file)

/* Without what each device plugin answered: environments, mounts and devices of containers. */
static char *as_checkpoint(struct recording *r, const char *text, size_t len)
{
	json_auto_t *doc = parse(text, len);
	json_t *list = json_object_get(json_object_get(doc, "Data"), "PodDeviceEntries"), *one;
	size_t i;

	json_array_foreach(list, i, one) {
		(void)json_object_del(one, "AllocResp");
	}
	return doc ? dump_known(r, doc, &known_checkpoint) : NULL;
}

static char *(*const forms[])(struct recording *r, const char *text, size_t len) = {
	[FORM_NONE] = NULL,		/* has no file */
	[FORM_TEXT] = as_text,
	[FORM_WORD] = as_word,
	[FORM_ASSIGNED] = as_assigned,
	[FORM_HEX] = as_hex,
	[FORM_NUMBERS] = as_numbers,
	[FORM_EMPTY] = as_empty,
	[FORM_RECORD] = as_record,
	[FORM_LEDGER] = as_ledger,
	[FORM_EARLIER] = as_earlier,
	[FORM_DEVICE_INFO] = as_device_info,
	[FORM_STATUS] = as_status,
	[FORM_CACHE] = as_cache,
	[FORM_CONF] = as_conf,
	[FORM_NODE_FILE] = as_node_file,
	[FORM_CHECKPOINT] = as_checkpoint,
};

/* -- files -- */

static bool split(const char *path, char dir[PATH_MAX], const char **name)
{
	*name = strrchr(path, '/') + 1;
	return snprintf(dir, PATH_MAX, "%.*s", (int)(*name - path), path) < PATH_MAX;
}

/* As an archive has to have it; what is in an empty one, or no file at all, is not asked for. */
static void put_file(struct recording *r, int dir, const char *name, const char *path,
		     const struct stat *st, enum form form)
{
	auto_free char *text = NULL, *clean = NULL, *as = NULL;
	struct err ignored;
	size_t len = 0;

	if (form != FORM_EMPTY && form != FORM_NUMBERS &&
	    fs_read_file(dir, name, FILE_MAX, &text, &len, &ignored) <= 0)
		return;
	clean = forms[form](r, text ? text : "", len);
	as = clean ? take_path(r, path) : NULL;
	if (as)
		tar_put_file(r->to, as, st->st_mode, st->st_mtime, clean, strlen(clean));
}

void recording_file(struct recording *r, const char *path, enum form form)
{
	auto_close int dir = -1;
	char parent[PATH_MAX];
	struct err ignored;
	struct stat st;
	const char *name;

	if (split(path, parent, &name) &&
	    fs_find_dir(r->host->root, parent, &dir, &ignored) > 0 &&
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
		put_file(r, dir, name, path, &st, form);
}

void recording_line(struct recording *r, const char *path)
{
	auto_free char *as = NULL;
	char line[256], text[260];
	struct err ignored;

	if (fs_read_line(r->host->root, line, sizeof(line), &ignored, "%s", path) <= 0)
		return;
	as = take_path(r, path);
	if (as)
		tar_put_file(r->to, as, 0444, 0, text,
			     (size_t)snprintf(text, sizeof(text), "%s\n", line));
}

static void put_module_names(FILE *from, FILE *to)
{
	auto_free char *line = NULL;
	size_t size = 0;

	for (int n = 0; n < FILES_MAX && getline(&line, &size, from) > 0; n++) {
		line[strcspn(line, " \t\n")] = '\0';
		(void)fprintf(to, "%s 0 0 - Live 0x0000000000000000\n", line);
	}
}

void recording_modules(struct recording *r)
{
	static const char path[] = "/proc/modules";
	auto_close int fd = fs_open(r->host->root, path, O_RDONLY | O_NONBLOCK, 0);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r"), *to;
	auto_free char *text = NULL, *as = NULL;
	size_t len = 0;

	if (!from)
		return;
	(void)steal_fd(&fd);
	to = open_memstream(&text, &len);
	if (to)
		put_module_names(from, to);
	(void)fclose(from);
	if (!to || fclose(to) != 0)
		return;
	as = take_path(r, path);
	if (as)
		tar_put_file(r->to, as, 0444, 0, text, len);
}

bool recording_link(struct recording *r, const char *path, char target[PATH_MAX])
{
	auto_free char *as = NULL, *to = NULL;
	char text[PATH_MAX];
	struct err ignored;

	if (fs_readlink(r->host->root, text, sizeof(text), &ignored, "%s", path) <= 0)
		return false;
	as = take_path(r, path);
	to = as ? scrub_text(&r->scrub, known_is_word(text) ? text : LEFT_OUT) : NULL;
	if (to)
		tar_put_link(r->to, as, to);
	if (target)
		memcpy(target, text, sizeof(text));
	return true;
}

void recording_node(struct recording *r, const char *dir, const char *name)
{
	auto_free char *as = NULL;
	char path[PATH_MAX];
	struct err ignored;

	(void)snprintf(path, sizeof(path), "%s%s", dir, name);
	if (fs_exists(r->host->root, &ignored, "%s", path) <= 0)
		return;
	as = take_path(r, path);
	if (as)
		tar_put_node(r->to, as, 0600);
}

/* -- directories -- */

struct walk {
	struct recording *r;
	const char *path;
	int dir;
	enum form form;
};

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

static bool is_wanted(const char *name, enum form form)
{
	switch (form) {
	case FORM_NONE:
		return false;
	case FORM_CONF:
	case FORM_NODE_FILE:
		return ends_in(name, ".conf") || ends_in(name, ".conflist") ||
		       ends_in(name, ".json");
	case FORM_EARLIER:
		return strcmp(name, EARLIER_FILE) == 0;
	case FORM_CHECKPOINT:
		return strcmp(name, checkpoint_file) == 0;
	default:
		return true;
	}
}

static int put_entry(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	char path[PATH_MAX];
	struct stat st;

	(void)e;
	if (!known_is_word(name) ||
	    snprintf(path, sizeof(path), "%s/%s", w->path, name) >= (int)sizeof(path) ||
	    fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISLNK(st.st_mode))
		(void)recording_link(w->r, path, NULL);
	else if (S_ISREG(st.st_mode) && is_wanted(name, w->form))
		put_file(w->r, w->dir, name, path, &st, w->form);
	return 0;
}

static bool put_dir(struct recording *r, int dir, const char *path)
{
	auto_free char *as = take_path(r, path);
	struct stat st;

	if (!as || fstat(dir, &st) < 0)
		return false;
	tar_put_dir(r->to, as, st.st_mode);
	return true;
}

void recording_dir(struct recording *r, const char *path, enum form form)
{
	auto_close int dir = -1;
	struct walk w = { .r = r, .path = path, .form = form };
	struct err ignored;

	if (fs_find_dir(r->host->root, path, &dir, &ignored) <= 0)
		return;
	(void)put_dir(r, dir, path);
	w.dir = dir;
	(void)!fs_each(dir, ".", put_entry, &w, &ignored);
}

bool recording_bare_dir(struct recording *r, const char *path)
{
	auto_close int dir = -1;
	struct err ignored;

	return fs_find_dir(r->host->root, path, &dir, &ignored) > 0 && put_dir(r, dir, path);
}
