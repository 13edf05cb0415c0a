/* SPDX-License-Identifier: Apache-2.0 */
/* explain_result.c - what became of an attachment: record, device, interface, files */
#include "manager/ctl/explain.h"

#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/release.h"
#include "cni/call/status.h"
#include "devinfo/format/store.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/allocated.h"
#include "manager/inventory/drift.h"
#include "manager/inventory/join_text.h"

#include <stdio.h>
#include <string.h>

#define MAKE_ANEW	"delete the pod, so that its devices are attached anew"
#define BIND_ANEW	"see who has bound another driver to it; then " MAKE_ANEW
#define LOOK_FOR_DEVICE	"see the kernel's log for the device; then " MAKE_ANEW

static bool is_live(const struct explained *t)
{
	return strcmp(t->a->state, "live") == 0;
}

/* -- the record -- */

static const struct {
	const char *state, *what, *advice;
} states[] = {
	{ "dead", "its container has gone without a DEL",
	  "run 'devinfoctl repair', which releases what it has left" },
	{ "earlier boot", "the node has started anew since",
	  "run 'devinfoctl repair', which releases what it has left" },
	{ "released", "its device has been given back, and something else of it could not be",
	  "run 'devinfoctl doctor', which says who tries it again" },
	{ "damaged", "its record is damaged",
	  "run 'devinfoctl doctor'; see \"Damaged records\" in devinfo(8)" },
	{ "unreadable", "its record cannot be read", "see the kernel's log for the disk" },
};

void explain_record(struct explained *t)
{
	const struct inv_attachment *a = t->a;
	const char *why = *a->why ? ": " : "";

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (strcmp(a->state, states[i].state) == 0) {
			explain_stage(t->x, a->ifname, "record", STAGE_WRONG, states[i].advice,
				      "%s: %s%s%s", a->file, states[i].what, why, a->why);
			return;
		}
	if (is_live(t))
		explain_stage(t->x, a->ifname, "record", STAGE_OK, "", "%s%s%s%s", a->file,
			      *a->state_dir ? ", in " : "", a->state_dir,
			      *a->state_dir ? ", which stateDir was before" : "");
	else
		explain_stage(t->x, a->ifname, "record", STAGE_UNKNOWN, "", "%s: %s%s%s", a->file,
			      a->state, why, a->why);
}

/* -- the device -- */

/* The driver that the pod needs of a whole function; "": whichever it has. */
static const char *wanted_driver(const struct explained *t)
{
	const char *said = json_string_value(json_object_get(t->request, "driver"));

	if (!t->rec || !t->rec->is_pci || *t->a->vdpa)
		return "";
	if (*t->rec->driver.bound)
		return t->rec->driver.bound;
	return said ? said : "";
}

/* How it came to have another driver than this; false: it has not. */
static bool tell_driver(struct explained *t, const struct inv_function *f)
{
	const char *want = wanted_driver(t), *has = *f->driver ? f->driver : "none";
	const char *name = t->a->ifname;
	bool ours = t->rec && *t->rec->driver.bound;

	if (*want && strcmp(want, f->driver) != 0)
		explain_stage(t->x, name, "device", STAGE_WRONG, BIND_ANEW, "%s: its driver is %s, "
			      "and %s %s", f->bdf, has, ours ? "its ADD has bound it to" :
			      "its network asks for", want);
	else if (!*want && t->rec && t->rec->is_pci && strcmp(t->a->kind, "userspace") == 0 &&
		 *f->driver && !driver_is_userspace(f->driver))
		explain_stage(t->x, name, "device", STAGE_WRONG, BIND_ANEW, "%s: its driver is %s, "
			      "and the pod was given it with one for user space", f->bdf, has);
	else
		return false;
	return true;
}

static void explain_function(struct explained *t, const struct inv_function *f)
{
	const char *part = name_ids_equal(t->a->device, f->bdf) ? "" : t->a->device;

	if (tell_driver(t, f))
		return;
	if (strcmp(f->health, "failed") != 0)
		explain_stage(t->x, t->a->ifname, "device", STAGE_OK, "",
			      "%s%s%s, driver %s%s%s%s%s", part, *part ? " on " : "", f->bdf,
			      *f->driver ? f->driver : "none", f->is_vf ? ", a VF of " : "",
			      f->is_vf ? f->pf_bdf : "", *f->health_reason ? "; " : "",
			      f->health_reason);
	else
		explain_stage(t->x, t->a->ifname, "device", STAGE_WRONG, LOOK_FOR_DEVICE, "%s: %s",
			      f->bdf, f->health_reason);
}

/* What the node does not have any more; NULL: it has all that we know how to look for. */
static const char *missing(const struct explained *t)
{
	const struct inventory *inv = t->x->inv;
	const struct inv_attachment *a = t->a;

	if (name_is_bdf(a->device) && a->function == INV_NONE)
		return a->device;
	if (t->rec && strcmp(t->rec->netdev.bus, "auxiliary") == 0 &&
	    inventory_auxiliary(inv, a->device) == INV_NONE)
		return a->device;
	return *a->vdpa && inventory_vdpa(inv, a->vdpa) == INV_NONE ? a->vdpa : NULL;
}

void explain_device(struct explained *t)
{
	const struct inv_attachment *a = t->a;
	const char *gone = missing(t);

	if (!is_live(t))
		return;
	if (gone)
		explain_stage(t->x, a->ifname, "device", STAGE_MISSING, LOOK_FOR_DEVICE,
			      "%s: the node does not have it", gone);
	else if (a->function != INV_NONE)
		explain_function(t, &t->x->inv->functions[a->function]);
	else
		explain_stage(t->x, a->ifname, "device", STAGE_OK, "", "%s",
			      *a->device ? a->device : "none: another plugin made the interface");
}

/* -- the interface -- */

void explain_interface(struct explained *t)
{
	struct drift d;

	if (!is_live(t))
		return;
	if (t->x->inv->node.is_recorded || !t->rec)
		drift_of(t->a, &d);
	else
		drift_look(t->x->host, t->x->journal, t->rec, &d);
	if (d.state == DRIFT_NONE)
		explain_stage(t->x, t->a->ifname, "interface", STAGE_OK, "", "as made%s%s",
			      *d.what ? "; " : "", d.what);
	else if (d.state == DRIFT_UNKNOWN)
		explain_stage(t->x, t->a->ifname, "interface", STAGE_UNKNOWN, "", "%s", d.what);
	else
		explain_stage(t->x, t->a->ifname, "interface", STAGE_WRONG,
			      "put back what has changed, or " MAKE_ANEW, "%s", d.what);
}

/* -- the files -- */

static const struct inv_file *find_file(const struct inventory *inv, bool is_dp, const char *name)
{
	for (size_t i = 0; i < inv->n_files; i++)
		if (inv->files[i].is_dp == is_dp && strcmp(inv->files[i].name, name) == 0)
			return &inv->files[i];
	return NULL;
}

/* Why it is not valid. */
static const char *wrong_of(const struct inv_file *f)
{
	return join_behind_name(f->wrong, f->name);
}

/* What it says of its PF and representor, which can be seen here wherever the device is. */
static void put_difference(struct explained *t, const struct inv_function *f, char ret[256])
{
	const struct inventory *inv = t->x->inv;
	auto_device_info struct device_info di = { 0 };
	const char *rep = f->representor != INV_NONE ? inv->links[f->representor].name : "";
	struct host host = *t->x->host;
	struct err ignored;

	*ret = '\0';
	if (t->rec)
		host = release_host(t->x->host, t->rec);
	if (store_read_cni(&host, t->a->info_file, &di, NULL, NULL, &ignored) <= 0 ||
	    di.kind != DEVICE_PCI)
		return;
	if (*f->pf_bdf && *di.pci.pf_pci_address && strcmp(di.pci.pf_pci_address, f->pf_bdf) != 0)
		(void)snprintf(ret, 256, "pf-pci-address is %s, the PF is %s by now",
			       di.pci.pf_pci_address, f->pf_bdf);
	if (*rep && *di.pci.representor_device && strcmp(di.pci.representor_device, rep) != 0)
		(void)snprintf(ret, 256, "representor-device is %s, the representor is %s by now",
			       di.pci.representor_device, rep);
}

static void judge_file(struct explained *t, const struct inv_file *f)
{
	const struct inv_attachment *a = t->a;
	char differs[256] = "";

	if (*f->wrong)
		(void)snprintf(differs, sizeof(differs), "%.250s", wrong_of(f));
	else if (name_is_bdf(a->device) && name_is_bdf(f->device) &&
		 !name_ids_equal(a->device, f->device))
		(void)snprintf(differs, sizeof(differs), "it is about %.64s", f->device);
	else if (a->function != INV_NONE)
		put_difference(t, &t->x->inv->functions[a->function], differs);
	if (*differs)
		explain_stage(t->x, a->ifname, "file", STAGE_WRONG, MAKE_ANEW, "cni/%s: %s",
			      f->name, differs);
	else
		explain_stage(t->x, a->ifname, "file", STAGE_OK, "", "cni/%s: %s %s", f->name,
			      f->type, f->device);
}

/* What the device plugin wrote is told only where it is no help. */
static void judge_plugins_file(struct explained *t)
{
	const struct inv_file *f;
	char name[ALLOCATED_FILE];

	if (!t->given)
		return;
	allocated_file_name(t->given, name);
	f = find_file(t->x->inv, true, name);
	if (f && *f->wrong)
		explain_stage(t->x, t->a->ifname, "file", STAGE_WRONG, "start the device plugin "
			      "anew, which writes the file", "dp/%s: %s", name, wrong_of(f));
}

void explain_file(struct explained *t)
{
	const struct inv_attachment *a = t->a;
	const struct inv_file *f = *a->info_file ? find_file(t->x->inv, false, a->info_file) : NULL;

	if (!is_live(t))
		return;
	judge_plugins_file(t);
	if (f)
		judge_file(t, f);
	else if (*a->info_file)
		explain_stage(t->x, a->ifname, "file", STAGE_MISSING, MAKE_ANEW,
			      "cni/%s is gone", a->info_file);
}

/* Of an entry that network-status does not have. */
static void explain_no_status(struct explained *t)
{
	const struct owner o = { .network = t->a->network, .container_id = t->a->container_id,
				 .ifname = t->a->ifname };
	struct host host = *t->x->host;

	if (t->rec)
		host = release_host(t->x->host, t->rec);
	if (status_is_damaged(&host, &o))
		explain_stage(t->x, t->a->ifname, "status", STAGE_WRONG, MAKE_ANEW,
			      "network-status: " STATUS_DAMAGED);
	else
		explain_stage(t->x, t->a->ifname, "status", STAGE_MISSING, MAKE_ANEW,
			      "network-status has no entry: the ADD has not ended, or the file "
			      "was removed");
}

void explain_status(struct explained *t)
{
	if (!is_live(t))
		return;
	if (t->a->has_status)
		explain_stage(t->x, t->a->ifname, "status", STAGE_OK, "",
			      "network-status has the entry");
	else
		explain_no_status(t);
}
