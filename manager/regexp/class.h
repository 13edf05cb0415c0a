/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class.h - the names of characters' classes that RE2 has
 *
 * PCRE2 takes more of them ("\p{Alphabetic}", "\p{Xan}", "[[:<:]]"), and those of RE2 in any case
 * and with blanks.
 */
#ifndef MANAGER_REGEXP_CLASS_H
#define MANAGER_REGEXP_CLASS_H

#include <stdbool.h>
#include <stddef.h>

/* Behind \p: "L", "Lu", "Greek", "Any". */
bool regexp_property(const char *name, size_t len);
/* In [: and :], without '^': "alpha", "word". */
bool regexp_class(const char *name, size_t len);

#endif
