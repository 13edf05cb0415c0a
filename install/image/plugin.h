/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h - the plugin, and copies of it by other names, in the node's directory of CNI plugins
 *
 * The same as install/install.sh does, from a container without a shell, and on one node with it:
 * a copy is told from another plugin, what had a name is kept as NAME.replaced, and at every moment
 * a name has the old file or the new one, whole.  There is one difference.  Where another plugin
 * has the name again and an older one of its kind is kept, install.sh refuses; here nobody could
 * be asked, and the pod that waits for us may be the one that configures the node.  So the newer
 * plugin is kept in place of the older.
 *
 * The directory is the administrator's.  No link in it is followed, nor is a program in it run:
 * a copy of the plugin is told by what is in it.  Who may only read it cannot hold us up: the lock
 * is a file in it that is root's alone, and there no longer than the lock.
 */
#ifndef INSTALL_IMAGE_PLUGIN_H
#define INSTALL_IMAGE_PLUGIN_H

#include "base/err.h"

#include <stddef.h>

#define PLUGIN_NAME "devinfo"

enum { PLUGIN_NAMES_MAX = 8 };

struct plugin {
	const char *file;			/* what is to be installed */
	const char *dir;			/* the node's directory */
	const char *names[PLUGIN_NAMES_MAX];	/* of the copies */
	size_t n;
};

/*
 * Install the file as PLUGIN_NAME, after it has answered VERSION, and its copies.  What is there
 * already stays as it is.  On an error that is found before a change nothing is changed.
 */
int plugin_install(const struct plugin *p, struct err *e) must_check;

/*
 * Take the copies away, put back what was kept in their place, then remove PLUGIN_NAME itself.  A
 * file that is no copy, of whatever version, is left alone.
 */
int plugin_remove(const struct plugin *p, struct err *e) must_check;

#endif
