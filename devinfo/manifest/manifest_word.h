/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest_word.h - may a text in JSON or YAML, which is not parsed for it, have a word?
 *
 * To search is some hundred times as fast as to parse, and a call wants a few of many files.
 */
#ifndef DEVINFO_MANIFEST_WORD_H
#define DEVINFO_MANIFEST_WORD_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * May a key or value in it be, or have in it, one of these words, NULL behind the last?  They are
 * of printable ASCII without blank, quotes, backslash and slash.  False is certain.
 */
bool manifest_may_have(const char *text, size_t len, const char *const *words) must_check;

#endif
