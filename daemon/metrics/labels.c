/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - the labels of a sample; a pod may be called anything, as far as we know */
#include "daemon/metrics/labels.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void put(struct labels *l, const char *text, size_t len)
{
	l->full = l->full || len >= sizeof(l->text) - l->len;
	if (l->full)
		return;
	memcpy(l->text + l->len, text, len);
	l->len += len;
	l->text[l->len] = '\0';
}

static void put_char(struct labels *l, char c, bool is_utf8)
{
	unsigned char code = (unsigned char)c;

	if (c == '\n')
		put(l, "\\n", 2);
	else if (c == '"' || c == '\\')
		put(l, (char[]){ '\\', c }, 2);
	else if (code < 0x20 || code == 0x7f || (code > 0x7f && !is_utf8))
		put(l, "?", 1);
	else
		put(l, &c, 1);
}

void labels_add(struct labels *l, const char *name, const char *value)
{
	json_auto_t *utf8 = NULL;	/* who makes texts for JSON looks whether it is that */

	if (!value || !*value)
		return;
	utf8 = json_string(value);
	put(l, ",", l->len > 0);
	put(l, name, strlen(name));
	put(l, "=\"", 2);
	for (; *value; value++)
		put_char(l, *value, utf8 != NULL);
	put(l, "\"", 1);
}

void labels_add_number(struct labels *l, const char *name, int value)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", value);
	labels_add(l, name, text);
}
