/* SPDX-License-Identifier: Apache-2.0 */
/* exposition.c - samples of all metrics at one moment, and their text */
#include "daemon/metrics/exposition.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
	struct sample *sample;		/* owned */
	size_t n, room;
};

struct exposition {
	unsigned int owners;
	bool failed;
	struct list families[FAMILIES];
	char **labels;			/* owned; the first is unused */
	size_t n_labels, room;
};

static const exposition_labels lost = UINT32_MAX;	/* labels that did not fit */

static unsigned int count;

struct exposition *exposition_new(void)
{
	struct exposition *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->owners = x->n_labels = 1;
	count++;
	return x;
}

unsigned int exposition_count(void)
{
	return count;
}

struct exposition *exposition_share(struct exposition *x)
{
	x->owners++;
	return x;
}

void exposition_release(struct exposition *x)
{
	if (!x || --x->owners > 0)
		return;
	count--;
	for (size_t i = 1; i < x->n_labels; i++)
		free(x->labels[i]);
	free(x->labels);
	for (size_t i = 0; i < FAMILIES; i++)
		free(x->families[i].sample);
	free(x);
}

bool exposition_is_whole(const struct exposition *x)
{
	return !x->failed;
}

/* Room for one more; false, and it has failed, where there is none. */
static bool has_room(struct exposition *x, void *list, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void **at = list, *p;

	if (n < *room)
		return true;
	p = reallocarray(*at, more, size);
	x->failed |= !p;
	if (!p)
		return false;
	*at = p;
	*room = more;
	return true;
}

exposition_labels exposition_keep(struct exposition *x, const struct labels *l)
{
	char *text;

	if (l->full)
		return lost;
	if (l->len == 0)
		return 0;
	if (!has_room(x, (void *)&x->labels, x->n_labels, &x->room, sizeof(*x->labels)))
		return lost;
	text = strdup(l->text);
	x->failed |= !text;
	if (!text)
		return lost;
	x->labels[x->n_labels] = text;
	return (exposition_labels)x->n_labels++;
}

void exposition_add(struct exposition *x, enum family family, const struct sample *s)
{
	struct list *l = &x->families[family];

	if (s->labels != lost && s->extra != lost &&
	    has_room(x, (void *)&l->sample, l->n, &l->room, sizeof(*l->sample)))
		l->sample[l->n++] = *s;
}

void exposition_put(struct exposition *x, enum family family, exposition_labels labels,
		    uint64_t value)
{
	exposition_add(x, family, &(struct sample){ .labels = labels, .value = value });
}

/* -- text -- */

static void printflike(2, 3) say(struct exposition_reader *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(r->line + r->len, sizeof(r->line) - r->len, fmt, ap);
	va_end(ap);
	r->len += n > 0 && (size_t)n < sizeof(r->line) - r->len ? (size_t)n : 0;
}

/* The older format calls a family as its samples are called, and knows neither infos nor units. */
static void say_head(struct exposition_reader *r, const struct family_row *f)
{
	bool is_old = r->form == FORM_PROMETHEUS;
	const char *suffix = is_old ? family_suffix(f->type) : "";
	enum family_type type = is_old && f->type == FAMILY_INFO ? FAMILY_GAUGE : f->type;

	say(r, "# TYPE %s%s %s\n", f->name, suffix, family_type_name(type));
	if (f->unit && !is_old)
		say(r, "# UNIT %s %s\n", f->name, f->unit);
	say(r, "# HELP %s%s %s\n", f->name, suffix, f->help);
}

static void say_sample(struct exposition_reader *r, const struct exposition *x,
		       const struct family_row *f, const struct sample *s)
{
	static const char *const parts[] = {
		[PART_VALUE] = "", [PART_BUCKET] = "_bucket", [PART_COUNT] = "_count",
		[PART_SUM] = "_sum",
	};
	bool is_value = s->part == PART_VALUE;

	say(r, "%s%s", f->name, is_value ? family_suffix(f->type) : parts[s->part]);
	if (s->labels || s->extra)
		say(r, "{%s%s%s}", s->labels ? x->labels[s->labels] : "",
		    s->labels && s->extra ? "," : "", s->extra ? x->labels[s->extra] : "");
	if (f->is_in_millionths && (is_value || s->part == PART_SUM))
		say(r, " %" PRIu64 ".%06" PRIu64 "\n", s->value / 1000000, s->value % 1000000);
	else
		say(r, " %" PRIu64 "\n", s->value);
}

/* Write the next line, or a head; false: that was all.  A family without samples has no head. */
static bool next_line(const struct exposition *x, struct exposition_reader *r)
{
	const struct list *l;

	r->at = r->len = 0;
	while (r->family < FAMILIES && r->next > x->families[r->family].n) {
		r->family++;
		r->next = 0;
	}
	if (r->family == FAMILIES) {
		if (!r->ended)
			say(r, "# EOF\n");
		r->ended = true;
		return r->len > 0;
	}
	l = &x->families[r->family];
	if (r->next > 0)
		say_sample(r, x, &families[r->family], &l->sample[r->next - 1]);
	else if (l->n > 0)
		say_head(r, &families[r->family]);
	r->next++;
	return true;
}

size_t exposition_read(const struct exposition *x, struct exposition_reader *r, char *buf,
		       size_t size)
{
	size_t n = 0, part;

	while (n < size && (r->at < r->len || next_line(x, r))) {
		part = r->len - r->at < size - n ? r->len - r->at : size - n;
		memcpy(buf + n, r->line + r->at, part);
		r->at += part;
		n += part;
	}
	return n;
}
