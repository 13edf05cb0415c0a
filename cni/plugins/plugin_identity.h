/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_identity.h - is a file this program, by another name or as a copy? */
#ifndef CNI_PLUGINS_PLUGIN_IDENTITY_H
#define CNI_PLUGINS_PLUGIN_IDENTITY_H

#include <stdbool.h>

/*
 * Is this path the plugin: a link to it, or a copy of it, of whatever version?  Told by an ELF note
 * that each of them has, which install/install.sh looks for, too.  No when that cannot be told.
 */
bool plugin_identity_is(const char *path);

#endif
