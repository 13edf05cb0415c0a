/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cdi.c - specifications of the Container Device Interface, as far as they tell an address
 *
 * There is no member for it.  Drivers of network devices tell the container its addresses in the
 * environment, under names of their own, so it is by the value that an address is known.
 * A value may mean something else, and the wrong device is worse than none:
 *
 *   - a value counts when it is one PCI address and nothing else.  dra-driver-sriov has, next to
 *     the CDI device of each VF, one of the pod, whose environment lists the VFs of a claim
 *   - that one is named to us for each VF, and when the pod has several claims it lists those of
 *     the claim that came last.  So when some of the names end in the name of the device, as
 *     the driver's do, no other is asked
 *   - different addresses are as good as none
 *
 * Edits of the whole specification are not looked at: they are no single device's.
 *
 * Of two specifications of one device, that in /var/run/cdi counts, as a container engine has it;
 * two in the same directory are a conflict, and then it has no such device.
 */
#include "devinfo/kubelet/cdi.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/jx_yaml.h"
#include "base/mem.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

/* The deadline may have passed while another source was waited for: files are read all the same. */
enum { LEAST_MS = 500 };

/* The one that counts first. */
static const char *const dirs[] = { "/var/run/cdi", "/etc/cdi" };

typedef json_t *parse_fn(const char *text, size_t len, enum err_code code, const char *what,
			 struct err *e);

/* An engine has the same two: no .yml. */
static const struct {
	const char *ending;
	parse_fn *parse;
} readers[] = { { ".json", jx_parse }, { ".yaml", jx_yaml_parse } };

/* -- one specification -- */

static void fact_add(struct cdi_fact *f, const char *text)
{
	if (!*f->text)
		(void)snprintf(f->text, sizeof(f->text), "%s", text);
	else if (strcmp(f->text, text) != 0)
		f->several = true;
}

static void fact_join(struct cdi_fact *f, const struct cdi_fact *other)
{
	if (*other->text)
		fact_add(f, other->text);
	f->several |= other->several;
}

/* Does a variable's value, a list perhaps, hold one PCI address and nothing else? */
static void take_address(const char *variable, struct cdi_fact *ret)
{
	const char *value = strchr(variable, '=');
	struct cdi_fact here = { 0 };
	char word[32], address[NAME_BDF_SIZE];
	size_t len;

	if (!value)
		return;
	do {
		value++;	/* '=' or ',' */
		len = strcspn(value, ",");
		(void)snprintf(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : 0,
			       value);
		if (!name_to_bdf(word, address))
			return;
		fact_add(&here, address);
		value += len;
	} while (*value);
	if (!here.several)
		fact_add(ret, here.text);
}

static void take_mount(const json_t *mount, struct cdi_fact *ret)
{
	const char *path = json_string_value(json_object_get(mount, "hostPath"));

	if (path && strstr(path, "/dra-device-metadata/") && strlen(path) < sizeof(ret->text))
		fact_add(ret, path);
}

static int take_edits(const json_t *device, struct cdi_device *ret, struct err *e)
{
	json_t *edits = NULL, *env = NULL, *mounts = NULL;
	const json_t *v;
	size_t i;

	if (jx_object(device, "devices[]", "containerEdits", &edits, e) < 0 ||
	    jx_strings(edits, "containerEdits", "env", &env, e) < 0 ||
	    jx_array(edits, "containerEdits", "mounts", &mounts, e) < 0)
		return -1;
	json_array_foreach(env, i, v) {
		take_address(json_string_value(v), &ret->address);
	}
	json_array_foreach(mounts, i, v) {
		take_mount(v, &ret->metadata);
	}
	return 0;
}

/* By its name; an engine takes a number for a text there, which one without quotes is in YAML. */
static bool is_called(const json_t *device, const char *name)
{
	const json_t *v = json_object_get(device, "name");
	char number[24];

	if (json_is_string(v))
		return strcmp(json_string_value(v), name) == 0;
	(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return json_is_integer(v) && strcmp(number, name) == 0;
}

/* The device of this name among those of a specification: 1, 0, -1 when there are two. */
static int pick(const json_t *devices, const char *name, const json_t **ret, struct err *e)
{
	const json_t *device, *found = NULL;
	size_t i;

	json_array_foreach(devices, i, device) {
		if (!is_called(device, name))
			continue;
		if (found)
			return err_set(e, ERR_DEVINFO, 0, "device '%.64s' is there twice", name);
		found = device;
	}
	*ret = found;
	return found != NULL;
}

/* Who reads a file of this name; NULL: it is no specification. */
static parse_fn *reader_of(const char *file)
{
	size_t len = strlen(file);

	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		size_t end = strlen(readers[i].ending);

		if (len > end && strcmp(file + len - end, readers[i].ending) == 0)
			return readers[i].parse;
	}
	return NULL;
}

int cdi_parse(const char *file, const char *text, size_t len, const char *name,
	      struct cdi_device *ret, struct err *e)
{
	parse_fn *parse = reader_of(file);
	const char *kind = "", *equals = strchr(name, '=');
	json_auto_t *spec = NULL;
	struct cdi_device found = { 0 };
	const json_t *device = NULL;
	json_t *devices = NULL;
	int r;

	if (!equals || !parse)
		return 0;
	spec = parse(text, len, ERR_DEVINFO, "CDI specification", e);
	if (!spec || jx_string(spec, "", "kind", &kind, e) < 0 ||
	    jx_array(spec, "", "devices", &devices, e) < 0)
		return -1;
	if (strlen(kind) != (size_t)(equals - name) || strncmp(kind, name, strlen(kind)) != 0)
		return 0;
	r = pick(devices, equals + 1, &device, e);
	if (r <= 0)
		return r;
	if (take_edits(device, &found, e) < 0)
		return -1;
	*ret = found;
	return 1;
}

/* -- the directories -- */

/* One of the claim's CDI devices. */
struct wanted {
	const char *name;
	size_t n_here;			/* specifications in the directory at hand */
	bool settled;			/* by the directory before */
	struct cdi_device device;
};

struct walk {
	struct wanted wanted[ALLOCATION_MAX_CDI];
	size_t n_wanted, n_files;
	struct deadline until;
	const char *path;		/* the directory at hand */
	int dir;
	char *tried;
};

/* Most specifications are of others: to know that, they need not be parsed, nor be valid. */
static bool mentions(const char *text, size_t len, const char *name)
{
	const char *equals = strchr(name, '=');

	return equals && equals[1] && memmem(text, len, equals + 1, strlen(equals + 1));
}

static void settle(struct walk *w)
{
	for (size_t i = 0; i < w->n_wanted; i++) {
		struct wanted *x = &w->wanted[i];

		if (x->n_here > 1) {
			claim_note(w->tried, "%s has %zu specifications of '%.128s'", w->path,
				   x->n_here, x->name);
			x->device = (struct cdi_device){ 0 };
		}
		x->settled |= x->n_here > 0;
		x->n_here = 0;
	}
}

static int search_spec(struct walk *w, const char *file, const char *text, size_t len,
		       struct err *e)
{
	struct err why;
	int r;

	for (size_t i = 0; i < w->n_wanted; i++) {
		struct wanted *x = &w->wanted[i];

		if (x->settled || !mentions(text, len, x->name))
			continue;
		r = cdi_parse(file, text, len, x->name, &x->device, &why);
		if (r < 0) {
			(void)err_wrap(&why, "%s/%.100s", w->path, file);
			return claim_pass_over(w->tried, &why, e);
		}
		x->n_here += (size_t)r;
	}
	return 0;
}

static int visit_file(const char *file, void *arg, struct err *e)
{
	struct walk *w = arg;
	auto_free char *text = NULL;
	struct err why;
	size_t len = 0;
	int r;

	if (!reader_of(file))
		return 0;
	if (w->n_files == CDI_MAX_FILES) {
		claim_note(w->tried, "%s: over %d files, the rest was not read", w->path,
			   CDI_MAX_FILES);
		return 1;
	}
	w->n_files++;
	if (deadline_left_ms(&w->until) == 0)
		return deadline_error(ERR_TRY_AGAIN, e, "read CDI specifications");
	r = fs_read_file(w->dir, file, CDI_MAX, &text, &len, &why);
	if (r < 0) {
		(void)err_wrap(&why, "%s", w->path);
		return claim_pass_over(w->tried, &why, e);
	}
	return r > 0 ? search_spec(w, file, text, len, e) : 0;
}

static int walk_dir(const struct host *h, const char *path, struct walk *w, struct err *e)
{
	auto_close int dir = -1;
	struct err why;
	int r = fs_find_dir(h->root, path, &dir, &why);

	if (r <= 0)
		return r < 0 ? claim_pass_over(w->tried, &why, e) : 0;
	w->path = path;
	w->dir = dir;
	if (fs_each(dir, ".", visit_file, w, e) < 0)
		return err_wrap(e, "%s", path);
	settle(w);
	return 0;
}

static int walk(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		struct walk *w, struct err *e)
{
	w->until = deadline_left_ms(d) < LEAST_MS ? deadline_in(LEAST_MS) : *d;
	for (size_t i = 0; i < c->n_cdi && w->n_wanted < ARRAY_SIZE(w->wanted); i++)
		w->wanted[w->n_wanted++].name = c->cdi[i];
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && w->n_wanted > 0; i++)
		if (walk_dir(h, dirs[i], w, e) < 0)
			return -1;
	return 0;
}

/*
 * "vendor.com/class=<claim's UID>-0000-03-02-1" for 0000-03-02-1.  That of a metadata file ends in
 * the name of the request, which may be the same.
 */
static bool is_named_after(const struct wanted *x, const char *device)
{
	size_t len = strlen(x->name), end = strlen(device);

	return end > 0 && len > end && strcmp(x->name + len - end, device) == 0 &&
	       strchr("=-", x->name[len - end - 1]) && !*x->device.metadata.text;
}

int cdi_find(const struct host *h, const struct claimed_device *c, const struct deadline *d,
	     struct claim_info *ret, struct err *e)
{
	struct walk w = { .tried = ret->tried };
	struct cdi_fact address = { 0 };
	bool own = false;

	if (walk(h, c, d, &w, e) < 0)
		return -1;
	for (size_t i = 0; i < w.n_wanted; i++)
		own |= is_named_after(&w.wanted[i], c->device);
	for (size_t i = 0; i < w.n_wanted; i++)
		if (!own || is_named_after(&w.wanted[i], c->device))
			fact_join(&address, &w.wanted[i].device.address);
	if (address.several)
		claim_note(ret->tried, "CDI: the environment tells more than one PCI address");
	if (address.several || !*address.text)
		return 0;
	claim_set_id(ret->id, address.text);
	return 1;
}

int cdi_find_metadata(const struct host *h, const struct claimed_device *c,
		      const struct deadline *d, char ret[CDI_TEXT_SIZE],
		      char tried[CLAIM_TRIED_SIZE], struct err *e)
{
	struct walk w = { .tried = tried };
	struct cdi_fact path = { 0 };

	if (walk(h, c, d, &w, e) < 0)
		return -1;
	for (size_t i = 0; i < w.n_wanted; i++)
		fact_join(&path, &w.wanted[i].device.metadata);
	if (path.several)
		claim_note(tried, "CDI: more than one DRA metadata file is mounted");
	if (path.several || !*path.text)
		return 0;
	memcpy(ret, path.text, sizeof(path.text));
	return 1;
}
