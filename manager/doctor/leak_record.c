/* SPDX-License-Identifier: Apache-2.0 */
/* leak_record.c - records of attachments that are no more, and those that nobody can read */
#include "manager/doctor/leak.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/earlier.h"
#include "manager/doctor/net_d.h"
#include "manager/doctor/node_plugin.h"
#include "manager/inventory/given.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct finding_kind dead = {
	"record-dead", SEVERITY_WARNING, REMEDY_RELEASE,
	"repair releases it, as its DEL, a GC or the next ADD of the device would",
};
static const struct finding_kind earlier = {
	"record-earlier-boot", SEVERITY_WARNING, REMEDY_RELEASE,
	"repair releases its lease and files, as its DEL or a GC would",
};
static const struct finding_kind released = {
	"record-released", SEVERITY_WARNING, REMEDY_RELEASE,
	"repair tries what is left once more; what stands in its way is in the plugin's log",
};
static const struct finding_kind damaged = {
	"record-damaged", SEVERITY_ERROR, REMEDY_BY_HAND,
	"look into it, restore the device, then remove the file: until then nobody gets the device",
};
static const struct finding_kind untrusted = {
	"record-damaged", SEVERITY_ERROR, REMEDY_BY_HAND,
	"check its content, then give it back to root: chown root, chmod 600, and take '.damaged' "
	"off its name; until then nobody gets the device",
};
static const struct finding_kind version = {
	"record-version", SEVERITY_WARNING, REMEDY_BY_HAND,
	"delete the attachment with the version of the plugin that has made it",
};
static const struct finding_kind unread = {
	"record-unreadable", SEVERITY_ERROR, REMEDY_BY_HAND,
	"look after the disk; until the file can be read or is removed nobody gets the device",
};

/*
 * Who has to release it, as repair cannot: 1; 0; -1.  A device that was given back is of a
 * container that may well live, whose DEL has not come to its end.
 */
static int find_other_way(const struct host *host, const struct inventory *inv,
			  const struct inv_attachment *a, const char **advice, struct err *e)
{
	int r = strcmp(a->state, "released") == 0 && *a->netns ?
			given_has_netns(host, inv, a->netns, e) : 0;

	if (r > 0)
		*advice = "its DEL ends it, which the runtime calls again; what stands in its way "
			  "is in the plugin's log";
	else if (r == 0 && a->needs_conf)
		*advice = "delete the pod, or run GC of the network: its lease is released with "
			  "the network's configuration";
	return r < 0 ? -1 : r > 0 || a->needs_conf;
}

static int add(const struct host *host, const struct inventory *inv,
	       const struct inv_attachment *a, const struct finding_kind *of, const char *what,
	       struct findings *ret, struct err *e)
{
	char object[PATH_MAX], whose[256];
	struct finding_kind kind = *of;

	if (kind.remedy == REMEDY_RELEASE) {
		int r = find_other_way(host, inv, a, &kind.advice, e);

		if (r < 0)
			return -1;
		if (r > 0)
			kind.remedy = REMEDY_BY_HAND;
	}
	(void)snprintf(object, sizeof(object), "%s/attachments/%s",
		       *a->state_dir ? a->state_dir : host->set.state_dir, a->file);
	leak_name_attachment(a, whose, sizeof(whose));
	return finding_tell(ret, &kind, object, e, "device %.100s, %s, network %.64s: %s",
			    *a->device ? a->device : "none", whose,
			    *a->network ? a->network : "unknown", what);
}

/* Those of one state, or of a family of states. */
static int each(const struct host *host, const struct inventory *inv, const char *state,
		const struct finding_kind *of, const char *what, struct findings *ret,
		struct err *e)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strncmp(a->state, state, strlen(state)) == 0 &&
		    add(host, inv, a, of, what ? what : a->why, ret, e) < 0)
			return -1;
	}
	return 0;
}

/* Of a recorded node its facts say what there was to say. */
static int check_known(const struct inventory *inv, struct err *e)
{
	for (size_t i = 0; i < inv->n_attachments && !inv->node.is_recorded; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strcmp(a->state, "unknown") == 0)
			return err_set(e, ERR_NETNS, 0, "whether %.64s lives: %.300s", a->file,
				       a->why);
	}
	return 0;
}

int leak_record_dead(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	int r = each(host, inv, "dead", &dead, "its network namespace is gone", ret, e);

	return r < 0 ? -1 : check_known(inv, e);
}

int leak_record_boot(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	return each(host, inv, "earlier boot", &earlier, "it is of an earlier boot", ret, e);
}

int leak_record_released(const struct host *host, const struct inventory *inv,
			 struct findings *ret, struct err *e)
{
	return each(host, inv, "released", &released,
		    "the device is given back, but not its lease or files", ret, e);
}

int leak_record_damaged(const struct host *host, const struct inventory *inv,
			struct findings *ret, struct err *e)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strcmp(a->state, "damaged") == 0 &&
		    add(host, inv, a, a->untrusted ? &untrusted : &damaged, a->why, ret, e) < 0)
			return -1;
	}
	return 0;
}

int leak_record_version(const struct host *host, const struct inventory *inv,
			struct findings *ret, struct err *e)
{
	return each(host, inv, "version ", &version, NULL, ret, e);
}

int leak_record_unread(const struct host *host, const struct inventory *inv, struct findings *ret,
		       struct err *e)
{
	return each(host, inv, "unreadable", &unread, NULL, ret, e);
}

/* -- plugins that its DEL runs -- */

static void add_type(json_t *types, const char *type)
{
	if (type && name_is_file(type))
		(void)json_object_set_new(types, type, json_null());
}

static json_t *types_of(const struct record *rec)
{
	struct err ignored;	/* then its DEL says so */
	json_auto_t *doc = rec->request ? jx_parse(rec->request, strlen(rec->request), ERR_DECODE,
						   "request", &ignored) : NULL;
	json_auto_t *plugins = net_d_plugins(doc);
	json_t *ret = json_object();
	const json_t *conf;
	size_t i;

	add_type(ret, rec->ipam_type);
	add_type(ret, rec->lease_of);
	json_array_foreach(plugins, i, conf) {
		if (i == 0 || !rec->delegates_left)	/* ourselves; nobody is left to be asked */
			continue;
		add_type(ret, net_d_type(conf));
		add_type(ret, net_d_type(json_object_get(conf, "ipam")));
	}
	return ret;
}

static int add_plugins(const struct record *rec, void *arg, struct err *e)
{
	json_auto_t *types = types_of(rec);
	char file[256];
	const char *type;
	json_t *v, *had;

	(void)e;
	journal_file_name(rec, file);
	json_object_foreach(types, type, v) {
		had = json_object_get(arg, type);
		if (!had && json_object_size(arg) < PLUGINS_MAX)
			(void)json_object_set_new(arg, type, json_pack("{s:i, s:s}", "records", 1,
								       "record", file));
		had = json_object_get(had, "records");
		if (had)
			(void)json_integer_set(had, json_integer_value(had) + 1);
	}
	return 0;
}

static int add_plugins_there(const struct host *there, struct journal *j, void *arg,
			     struct err *e)
{
	(void)there;
	return journal_each(j, add_plugins, arg, e);
}

void record_plugins_add(const struct host *host, json_t *types)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct err ignored;	/* a journal that cannot be read is told by other checks */

	if (journal_open(host, JOURNAL_READ, &j, &ignored) > 0)
		(void)!journal_each(&j, add_plugins, types, &ignored);
	(void)!earlier_each(host, JOURNAL_READ, add_plugins_there, types, &ignored);
}
