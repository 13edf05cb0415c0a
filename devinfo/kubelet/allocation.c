/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.c - what kubelet has given to one pod */
#include "devinfo/kubelet/allocation.h"

#include "base/log.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 255 };	/* bytes of a name of CDI, or of a pool */

int device_id_compare(const char *a, const char *b)
{
	char x[NAME_BDF_SIZE], y[NAME_BDF_SIZE];
	bool a_bdf = name_to_bdf(a, x), b_bdf = name_to_bdf(b, y);

	if (a_bdf != b_bdf)
		return a_bdf ? -1 : 1;
	if (!a_bdf)
		return strverscmp(a, b);
	if (strlen(x) != strlen(y))
		return strlen(x) < strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

static int no_memory(struct err *e, const char *what)
{
	return err_set(e, ERR_PODRES, ENOMEM, "kubelet's allocation: %.64s", what);
}

/* To look for each in all before it takes a time that grows with the square: it has an end. */
static int count_told(struct allocation *a, struct err *e)
{
	if (a->told++ < ALLOCATION_MAX_TOLD)
		return 0;
	return err_set(e, ERR_PODRES, E2BIG, "kubelet names devices more than %d times",
		       ALLOCATION_MAX_TOLD);
}

/* -- devices of device plugins -- */

static bool has_device(const struct allocation *a, const char *resource, const char *id)
{
	for (size_t i = 0; i < a->n_devices; i++)
		if (strcmp(a->devices[i].id, id) == 0 &&
		    strcmp(a->devices[i].resource, resource) == 0)
			return true;
	return false;
}

int allocation_add_device(struct allocation *a, const char *resource, const char *id,
			  struct err *e)
{
	struct plugin_device *more, *d;

	if (count_told(a, e) < 0)
		return -1;
	if (!name_is_resource(resource) || !name_is_device_id(id)) {
		log_debug("msg=\"device left out: not usable\" resource=%s device=%s", resource,
			  id);
		return 0;
	}
	if (has_device(a, resource, id))
		return 0;
	if (a->n_devices == ALLOCATION_MAX_DEVICES)
		return err_set(e, ERR_PODRES, E2BIG, "kubelet names more than %d devices",
			       ALLOCATION_MAX_DEVICES);
	more = reallocarray(a->devices, a->n_devices + 1, sizeof(*more));
	if (!more)
		return no_memory(e, id);
	a->devices = more;
	d = &more[a->n_devices++];
	d->resource = strdup(resource);
	d->id = strdup(id);
	return d->resource && d->id ? 0 : no_memory(e, id);
}

static int compare(const void *a, const void *b)
{
	const struct plugin_device *x = a, *y = b;
	int r = device_id_compare(x->id, y->id);

	return r ? r : strcmp(x->resource, y->resource);
}

void allocation_end_container(struct allocation *a)
{
	if (a->n_devices > a->ended)
		qsort(a->devices + a->ended, a->n_devices - a->ended, sizeof(*a->devices),
		      compare);
	a->ended = a->n_devices;
}

bool allocation_has_resource(const struct allocation *a, const char *resource)
{
	for (size_t i = 0; i < a->n_devices; i++)
		if (strcmp(a->devices[i].resource, resource) == 0)
			return true;
	return false;
}

/* -- devices of claims -- */

static void claimed_done(struct claimed_device *c)
{
	free(c->name_space);
	free(c->claim);
	free(c->driver);
	free(c->pool);
	free(c->device);
	free(c->share);
	for (size_t i = 0; i < c->n_cdi; i++)
		free(c->cdi[i]);
	free(c->cdi);
}

static bool same_cdi(const struct claimed_device *a, const struct claimed_device *b)
{
	if (a->n_cdi != b->n_cdi)
		return false;
	for (size_t i = 0; i < a->n_cdi; i++)
		if (strcmp(a->cdi[i], b->cdi[i]) != 0)
			return false;
	return true;
}

/* Before 1.31 the names of CDI are all there is to tell them apart. */
static bool same_claimed(const struct claimed_device *a, const struct claimed_device *b)
{
	return strcmp(a->name_space, b->name_space) == 0 && strcmp(a->claim, b->claim) == 0 &&
	       strcmp(a->driver, b->driver) == 0 && strcmp(a->pool, b->pool) == 0 &&
	       strcmp(a->device, b->device) == 0 && strcmp(a->share, b->share) == 0 &&
	       (*a->device || same_cdi(a, b));
}

/* Letters, digits and extra, n of them, one at least. */
static bool made_of(const char *s, size_t n, const char *extra)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && (!s[i] || !strchr(extra, s[i])))
			return false;
	return n > 0;
}

/* "vendor.com/class=name", as the Container Device Interface has it. */
static bool is_cdi(const char *s)
{
	const char *slash = strchr(s, '/'), *equals = strchr(s, '=');

	return slash && equals && slash < equals && strlen(s) <= TEXT_MAX &&
	       made_of(s, (size_t)(slash - s), "_-.") &&
	       made_of(slash + 1, (size_t)(equals - slash - 1), "_-.") &&
	       made_of(equals + 1, strlen(equals + 1), "_-.:");
}

/* Domain names with '/' between them; no other form of path. */
static bool is_pool(const char *s)
{
	size_t n;

	if (strlen(s) > TEXT_MAX)
		return false;
	for (;; s += n + 1) {
		n = strcspn(s, "/");
		if (!made_of(s, n, "-.") || *s == '.')
			return false;
		if (!s[n])
			return true;
	}
}

static bool empty_or(bool (*check)(const char *s), const char *s)
{
	return !*s || check(s);
}

static bool is_usable(const struct claimed_device *c)
{
	return name_is_file(c->name_space) && name_is_file(c->claim) &&
	       empty_or(name_is_file, c->driver) && empty_or(is_pool, c->pool) &&
	       empty_or(name_is_file, c->device) && empty_or(name_is_file, c->share);
}

static int copy_cdi(struct claimed_device *to, const struct claimed_device *from)
{
	to->cdi = from->n_cdi ? calloc(ALLOCATION_MAX_CDI, sizeof(*to->cdi)) : NULL;
	if (from->n_cdi && !to->cdi)
		return -1;
	for (size_t i = 0; i < from->n_cdi; i++) {
		if (!is_cdi(from->cdi[i]) || to->n_cdi == ALLOCATION_MAX_CDI) {
			log_debug("msg=\"CDI device left out\" claim=%s name=%s", from->claim,
				  from->cdi[i]);
			continue;
		}
		to->cdi[to->n_cdi] = strdup(from->cdi[i]);
		if (!to->cdi[to->n_cdi++])
			return -1;
	}
	return 0;
}

static int copy_claimed(struct claimed_device *to, const struct claimed_device *from)
{
	*to = (struct claimed_device){
		.name_space = strdup(from->name_space),
		.claim = strdup(from->claim),
		.driver = strdup(from->driver),
		.pool = strdup(from->pool),
		.device = strdup(from->device),
		.share = strdup(from->share),
	};
	if (!to->name_space || !to->claim || !to->driver || !to->pool || !to->device || !to->share)
		return -1;
	return copy_cdi(to, from);
}

static bool has_claimed(const struct allocation *a, const struct claimed_device *c)
{
	for (size_t i = 0; i < a->n_claimed; i++)
		if (same_claimed(&a->claimed[i], c))
			return true;
	return false;
}

static int append_claimed(struct allocation *a, struct claimed_device *c, struct err *e)
{
	struct claimed_device *more;

	if (a->n_claimed == ALLOCATION_MAX_CLAIMED)
		return err_set(e, ERR_PODRES, E2BIG, "kubelet names more than %d claimed devices",
			       ALLOCATION_MAX_CLAIMED);
	more = reallocarray(a->claimed, a->n_claimed + 1, sizeof(*more));
	if (!more)
		return no_memory(e, c->claim);
	a->claimed = more;
	more[a->n_claimed++] = *c;
	*c = (struct claimed_device){ 0 };
	return 0;
}

int allocation_add_claimed(struct allocation *a, const struct claimed_device *c, struct err *e)
{
	auto_with(claimed_done) struct claimed_device copy = { 0 };

	if (count_told(a, e) < 0)
		return -1;
	if (!is_usable(c)) {
		log_debug("msg=\"claimed device left out: not usable\" claim=%s driver=%s pool=%s "
			  "device=%s", c->claim, c->driver, c->pool, c->device);
		return 0;
	}
	if (copy_claimed(&copy, c) < 0)
		return no_memory(e, c->claim);
	if ((!*copy.device && copy.n_cdi == 0) || has_claimed(a, &copy))
		return 0;
	return append_claimed(a, &copy, e);
}

void allocation_done(struct allocation *a)
{
	for (size_t i = 0; i < a->n_devices; i++) {
		free(a->devices[i].resource);
		free(a->devices[i].id);
	}
	for (size_t i = 0; i < a->n_claimed; i++)
		claimed_done(&a->claimed[i]);
	free(a->devices);
	free(a->claimed);
	*a = (struct allocation){ 0 };
}
