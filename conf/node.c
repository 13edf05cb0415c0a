/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - the node's own file: defaults for every configuration */
#include "conf/node.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "conf/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

/*
 * In any spelling, for what is no JSON may be wrong in that as well.  Zeros are what a file system
 * leaves of a file after a loss of power: what they were nobody knows.
 */
static bool names_dirs(const char *text, size_t len)
{
	return strlen(text) < len || strcasestr(text, "dir") || strcasestr(text, "root");
}

static int parse(const char *text, size_t len, const char *path, struct node *n, struct err *e)
{
	struct err later;	/* the first is the one to tell */

	n->doc = jx_parse(text, len, ERR_NETCONF, path, &n->why);
	if (n->doc && !json_is_object(n->doc))
		(void)err_set(&n->why, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			      jx_type_name(n->doc));
	if (!json_is_object(n->doc)) {
		n->wrong = n->lost = true;
		n->lost_dirs = names_dirs(text, len);
		return 0;
	}
	n->wrong = settings_take(n->doc, IN_NODE_FILE, &n->set, &n->why) < 0;
	n->wrong |= keys_check_node(n->doc, n->wrong ? &later : &n->why) < 0;
	if (n->wrong)
		(void)err_wrap(&n->why, "%s", path);
	return key_read(n->doc, "", node_root_key, n, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

static int read_text(const char *path, char **ret, size_t *len, struct err *e)
{
	const char *base = strrchr(path, '/');

	if (!base || !base[1] || strlen(path) >= PATH_MAX)
		return err_set(e, ERR_ENV, 0, "DEVINFO_CONF: '%.64s' is not an absolute path",
			       path);
	return fs_read_path(path, NODE_FILE_MAX, ret, len, e);
}

int node_read(const char *path, struct node *ret, struct err *e)
{
	struct node n = { .set = settings_default };
	const char *file = path && *path ? path : NODE_FILE;
	auto_free char *text = NULL;
	size_t len = 0;
	int r = read_text(file, &text, &len, e);

	if (r < 0)
		return -1;
	if (r == 0 && path && *path)
		return err_set(e, ERR_ENV, ENOENT, "DEVINFO_CONF: open '%s'", file);
	if (text && parse(text, len, file, &n, e) < 0) {
		node_done(&n);
		return -1;
	}
	*ret = n;
	return 0;
}

void node_done(struct node *n)
{
	json_decref(n->doc);
	n->doc = NULL;
}
