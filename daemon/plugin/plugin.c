/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the resources on offer come and go */
#include "daemon/plugin/plugin.h"

#include "base/log.h"
#include "base/mem.h"
#include "daemon/plugin/plugin_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIR_NAME "device-plugins"

/* -- one resource -- */

static void resource_free(struct resource *s)
{
	if (!s)
		return;
	s->ending = true;
	registration_end(s);
	serve_free(s->serve);
	message_done(&s->list);
	free(s);
}

static void resource_free_ptr(struct resource **s)
{
	resource_free(*s);
}

static int resource_new(struct plugin *p, const struct offer *o, struct resource **ret,
			struct err *e)
{
	auto_with(resource_free_ptr) struct resource *s = calloc(1, sizeof(*s));

	if (!s)
		return err_set(e, ERR_IO, ENOMEM, "a resource");
	s->plugin = p;
	s->offer = o;
	s->lost = registration_lost;
	(void)snprintf(s->name, sizeof(s->name), "%s", o->resource);
	server_name(s->name, strlen(p->dir), s->socket);
	if (server_new(s, e) < 0 || registration_new(s, e) < 0 || list_encode(o, &s->list, e) < 0)
		return -1;
	*ret = steal_ptr(&s);
	return 0;
}

/* Tell kubelet, unless it knows. */
static void resource_update(struct resource *s, const struct offer *o)
{
	auto_message struct message list = { .len = 0 };
	struct message before = s->list;
	struct err e = { 0 };

	s->offer = o;
	if (list_encode(o, &list, &e) < 0) {
		log_error("resource=%s msg=%s", s->name, e.msg);
		return;
	}
	if (list.len == before.len && memcmp(list.data, before.data, list.len) == 0)
		return;
	s->list = list;
	list = before;
	log_info("resource=%s devices=%u msg=\"the list has changed\"", s->name,
		 (unsigned int)o->n);
	listing_tell(s);
}

/* -- all of them -- */

static struct resource *find_resource(const struct plugin *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i]->name, name) == 0)
			return p->list[i];
	return NULL;
}

/* Those that are not on offer any more end. */
static void end_others(struct plugin *p, const struct offers *o)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (offers_find(o, p->list[i]->name)) {
			p->list[n++] = p->list[i];
			continue;
		}
		log_info("resource=%s msg=\"not on offer any more\"", p->list[i]->name);
		resource_free(p->list[i]);
	}
	p->n = n;
}

static int add_resource(struct plugin *p, const struct offer *o, struct err *e)
{
	struct resource **bigger = realloc(p->list, (p->n + 1) * sizeof(struct resource *));

	if (!bigger)
		return err_set(e, ERR_IO, ENOMEM, "a resource");
	p->list = bigger;
	if (resource_new(p, o, &p->list[p->n], e) < 0)
		return -1;
	p->n++;
	return 0;
}

/* 1: it is new. */
static int take_offer(struct plugin *p, const struct offer *o, struct err *e)
{
	struct resource *s = find_resource(p, o->resource);

	if (!s)
		return add_resource(p, o, e) < 0 ? -1 : 1;
	resource_update(s, o);
	return 0;
}

static void take_offers(struct plugin *p)
{
	for (size_t i = 0; i < p->offers->n; i++) {
		struct err e = { 0 };
		int r = take_offer(p, &p->offers->list[i], &e);

		if (r < 0)
			log_error("resource=%s msg=%s", p->offers->list[i].resource, e.msg);
		else if (r > 0)
			registration_begin(p->list[p->n - 1]);
	}
}

/* -- files about devices, which are there before kubelet can give one to a pod -- */

static void tell(const char *resource, const struct err *e)
{
	log_warning("resource=%s msg=%s details=%s", resource, e->msg, e->details);
}

/* What goes wrong is told once. */
static void write_cdi(struct plugin *p)
{
	struct access_world w = { .host = p->host, .pools = p->pools, .inv = p->inv };
	struct err e = { 0 };

	cdi_told_turn(&p->cdi_told);
	for (size_t i = 0; p->opt.use_cdi && i < p->offers->n; i++) {
		w.offer = &p->offers->list[i];
		if (cdi_file_write(&w, &p->cdi_told, &e) < 0 &&
		    cdi_told_is_new(&p->cdi_told, w.offer->resource, ""))
			tell(w.offer->resource, &e);
	}
	if (p->opt.use_cdi && cdi_file_remove_others(p->host, p->offers, &e) < 0 &&
	    cdi_told_is_new(&p->cdi_told, "", ""))
		tell("", &e);
}

/* Without CDI there may be some of a process before, with it: those are stale. */
static void withdraw_cdi(const struct plugin *p)
{
	struct err e = { 0 };

	for (size_t i = 0; i < p->offers->n; i++)
		if (cdi_file_withdraw(p->host, &p->offers->list[i], &e) < 0)
			tell(p->offers->list[i].resource, &e);
	if (cdi_file_remove_others(p->host, p->offers, &e) < 0)
		tell("", &e);
}

static void write_files(struct plugin *p, bool is_first)
{
	struct err e = { 0 };

	if (dp_files_update(&p->files, p->host, p->pools, p->inv, p->offers, &e) < 0)
		tell("", &e);
	write_cdi(p);
	if (is_first && !p->opt.use_cdi)
		withdraw_cdi(p);
}

/* -- from outside -- */

struct plugin *plugin_new(struct loop *l, const struct host *host, const struct plugin_options *o,
			  struct err *e)
{
	struct plugin *p = calloc(1, sizeof(*p));
	int len;

	if (!p) {
		(void)err_set(e, ERR_IO, ENOMEM, "a device plugin");
		return NULL;
	}
	p->loop = l;
	p->host = host;
	p->opt = *o;
	if (prestarts_open(p, &p->prestarts, e) < 0) {
		free(p);
		return NULL;
	}
	len = snprintf(p->dir, sizeof(p->dir), "%s/" DIR_NAME, host->set.kubelet_dir);
	if (len < (int)sizeof(p->dir))
		return p;
	(void)err_set(e, ERR_NETCONF, 0, "kubeletDir: '%.64s...' is too long for sockets",
		      host->set.kubelet_dir);
	prestarts_done(&p->prestarts);
	free(p);
	return NULL;
}

void plugin_set_offers(struct plugin *p, const struct pools *pools, const struct inventory *inv,
		       const struct offers *o)
{
	bool is_first = !p->pools;

	p->pools = pools;
	p->inv = inv;
	p->offers = o;
	write_files(p, is_first);
	slot_dirs_update(&p->slots, p->host, o, loop_now());
	end_others(p, o);
	take_offers(p);
}

const struct offer_failures *plugin_failures(const struct plugin *p)
{
	return &p->prestarts.failures;
}

void plugin_forget_failures(struct plugin *p)
{
	p->prestarts.failures.n = 0;
}

void plugin_dir_changed(struct plugin *p)
{
	for (size_t i = 0; i < p->n; i++)
		registration_check(p->list[i]);
}

void plugin_free(struct plugin *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		resource_free(p->list[i]);
	free(p->list);
	if (p->offers && p->opt.use_cdi)
		withdraw_cdi(p);
	dp_files_withdraw(&p->files, p->host);
	cdi_told_done(&p->cdi_told);
	slot_dirs_done(&p->slots);
	prestarts_done(&p->prestarts);
	free(p);
}
