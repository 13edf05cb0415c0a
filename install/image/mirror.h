/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mirror.h - the files of a directory on the node: all of one moment, and root's
 *
 * A mounted ConfigMap is full of links, and is where only kubelet knows; a checkout is whose user
 * made it.  The node reads neither.  What it reads is a link to one of two directories beside it,
 * NAME.a and NAME.b: the one that it does not lead to is filled, then the link is replaced.  Who
 * has the older one open reads on in it, for it stays until the next change.
 */
#ifndef INSTALL_IMAGE_MIRROR_H
#define INSTALL_IMAGE_MIRROR_H

#include "base/err.h"

#include <stddef.h>

/* The most that all files have together. */
enum { MIRROR_BYTES_MAX = 16 << 20 };

/*
 * Make the link `to` lead to what the regular files in `from` are, or in what `from`/..data leads
 * to; those whose name begins with a dot are left out.  1 with their number in *n when something
 * was changed; 0 when all is as it was; -1, and then what `to` leads to is as it was.
 */
int mirror(const char *from, const char *to, size_t *n, struct err *e) must_check;

#endif
