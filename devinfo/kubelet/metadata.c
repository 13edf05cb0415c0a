/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata.c - the file in which a DRA driver describes the devices of a request (KEP-5304)
 *
 * The driver writes with a plain write(2) into the file's own name, so a reader may see none or
 * half of it.  What does not parse is therefore read again for a moment; what parses and is not
 * what it should be is passed over at once.
 *
 * A driver may describe a device later: it replaces the whole stream by one of the next generation.
 * Of the objects of the highest generation the first that tells of the device counts, and a broken
 * tail behind it is of no interest.  That is not waited for: what a driver knows when the claim is
 * prepared it has written before the sandbox is made, and the rest it writes when the last plugin
 * of the sandbox has answered, so that an ADD would wait for its own end.
 *
 * v1beta1 (Kubernetes 1.37, which every driver of that library writes) and v1alpha1 (1.36) have the
 * same members.
 *
 * Before Kubernetes 1.31 kubelet names neither driver nor device.  Then the file's path
 * is taken from the CDI device that mounts it into containers, which tells the driver and the
 * request, and the device is the only one in that file.
 */
#include "devinfo/kubelet/metadata.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/kubelet/cdi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME	"metadata.json"
#define DIR_NAME	"dra-device-metadata"

#define GROUP	"metadata.resource.k8s.io/"

enum {
	MAX_DOCUMENTS = 16,	/* apiVersions of a stream */
	TORN_MS = 300,		/* a driver needs no longer to write one file */
	TORN_WAIT_MS = 20,
};

/* -- one document -- */

static bool is_pci(const char *id)
{
	char ignored[NAME_BDF_SIZE];

	return name_to_bdf(id, ignored);
}

/* Which attributes tell the id; the first that does is taken. */
static const struct {
	const char *domain;	/* NULL: the driver's */
	const char *name;
	bool (*is_valid)(const char *s);
} id_attributes[] = {
	{ "k8s.cni.cncf.io", "deviceID", name_is_device_id },
	{ "resource.kubernetes.io", "pciBusID", is_pci },
	{ NULL, "pciAddress", is_pci },
	{ "dra.net", "pciAddress", is_pci },
};

/* What json_string_value() says of a member: NULL when there is none, or it is no string. */
static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Only of the kind "string".  A name without a domain belongs to the driver's. */
static const char *attribute(const json_t *attributes, const char *driver, const char *domain,
			     const char *name)
{
	char key[512];
	const json_t *v;

	(void)snprintf(key, sizeof(key), "%.255s/%s", domain, name);
	v = json_object_get(attributes, key);
	if (!v && strcmp(domain, driver) == 0)
		v = json_object_get(attributes, name);
	return text_of(v, "string");
}

static void take_id(const json_t *attributes, const char *driver, struct claim_info *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(id_attributes) && !*ret->id; i++) {
		const char *domain = id_attributes[i].domain ? id_attributes[i].domain : driver;
		const char *s = attribute(attributes, driver, domain, id_attributes[i].name);

		if (s && id_attributes[i].is_valid(s))
			claim_set_id(ret->id, s);
		else if (s)
			claim_note(ret->tried, "%.64s/%s '%.64s' is not a device id", domain,
				   id_attributes[i].name, s);
	}
}

/* A text that others will compare or put into file names. */
static void take_name(const char *s, bool (*is_valid)(const char *), const char *what,
		      char ret[256], char tried[CLAIM_TRIED_SIZE])
{
	if (!s)
		return;
	if (is_valid(s))	/* then it has 255 bytes at most */
		memcpy(ret, s, strlen(s) + 1);
	else
		claim_note(tried, "%s '%.64s' is not valid", what, s);
}

static void take(const json_t *document, const json_t *request, const json_t *device,
		 struct claim_info *ret)
{
	const json_t *attributes = json_object_get(device, "attributes");
	const char *driver = text_of(device, "driver");
	const char *resource = attribute(attributes, driver, "k8s.cni.cncf.io", "resourceName");

	take_id(attributes, driver, ret);
	ret->deferred = json_object_size(attributes) == 0;
	take_name(resource, name_is_resource, "resourceName", ret->resource, ret->tried);
	take_name(text_of(document, "podClaimName"), name_is_file, "podClaimName",
		  ret->pod_claim, ret->tried);
	take_name(text_of(request, "name"), name_is_request, "request", ret->request, ret->tried);
}

/* Is there such a text, and is it the one we know, if we know it? */
static bool agrees(const json_t *o, const char *key, const char *known)
{
	const char *s = text_of(o, key);

	return s && (!*known || strcmp(s, known) == 0);
}

static bool is_ours(const json_t *device, const struct claimed_device *c)
{
	return agrees(device, "driver", c->driver) && agrees(device, "pool", c->pool) &&
	       agrees(device, "name", c->device);
}

/*
 * Look for the device in one document; the same device can be in several requests, but one that we
 * cannot name must be the only one.
 */
static int search(const json_t *document, const struct claimed_device *c, struct claim_info *ret)
{
	const json_t *its = NULL, *ours = NULL, *request, *device;
	size_t i, k, n = 0;

	json_array_foreach(json_object_get(document, "requests"), i, request) {
		json_array_foreach(json_object_get(request, "devices"), k, device) {
			if (!is_ours(device, c) || n++ > 0)
				continue;
			its = request;
			ours = device;
		}
	}
	if (n > 1 && !*c->device) {
		claim_note(ret->tried, "%zu devices, and kubelet does not say which", n);
		return 0;
	}
	if (n > 0)
		take(document, its, ours, ret);
	return n > 0;
}

/* The version of the object, without its group; NULL when it is none that we know. */
static const char *known_version(const json_t *document)
{
	static const char *const versions[] = { GROUP "v1beta1", GROUP "v1alpha1" };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (agrees(document, "apiVersion", versions[i]) &&
		    agrees(document, "kind", "DeviceMetadata"))
			return versions[i] + strlen(GROUP);
	return NULL;
}

static void note_unknown(const json_t *document, char tried[CLAIM_TRIED_SIZE])
{
	const char *kind = text_of(document, "kind"), *version = text_of(document, "apiVersion");

	claim_note(tried, "expected DeviceMetadata of " GROUP "v1beta1 or v1alpha1, got %.64s of "
		   "%.64s", kind ? kind : "an object", version ? version : "no apiVersion");
}

/* The directory's name is no proof: the first '_' in it need not be the one between the two. */
static bool is_of_claim(const json_t *document, const struct claimed_device *c)
{
	const json_t *metadata = json_object_get(document, "metadata");
	const char *name_space = text_of(metadata, "namespace"), *name = text_of(metadata, "name");

	return (!name_space || strcmp(name_space, c->name_space) == 0) &&
	       (!name || strcmp(name, c->claim) == 0);
}

/* What an object of a known version says; its notes name the version. */
static int read_known(const json_t *document, const char *version, const struct claimed_device *c,
		      struct claim_info *ret)
{
	struct claim_info info = { 0 };
	int found = 0;

	if (is_of_claim(document, c))
		found = search(document, c, &info);
	else
		claim_note(info.tried, "it is another claim's");
	if (*info.tried)
		claim_note(ret->tried, "%s: %s", version, info.tried);
	if (found) {
		memcpy(info.tried, ret->tried, sizeof(info.tried));
		*ret = info;
	}
	return found;
}

/* What a stream has told up to here. */
struct stream {
	const struct claimed_device *device;
	const struct claim_info *before;
	struct claim_info info;
	json_int_t generation;		/* the highest of a known object */
	bool is_known;			/* there was such an object */
	int found;
	char unknown[CLAIM_TRIED_SIZE];	/* what the first object is, when it is none */
};

/* 0 where there is none: such objects are of one generation. */
static json_int_t generation_of(const json_t *document)
{
	json_int_t n = json_integer_value(json_object_get(json_object_get(document, "metadata"),
							  "generation"));

	return n > 0 ? n : 0;
}

/* What an older generation said is over, also where this one does not have the device any more. */
static void take_document(struct stream *s, const json_t *document, bool is_first)
{
	const char *version = known_version(document);
	json_int_t generation = generation_of(document);

	if (!version && is_first)
		note_unknown(document, s->unknown);
	if (!version || generation < s->generation)
		return;
	if (generation > s->generation) {
		s->info = *s->before;
		s->found = 0;
	}
	s->is_known = true;
	s->generation = generation;
	if (!s->found)
		s->found = read_known(document, version, s->device, &s->info);
}

static int read_stream(struct stream *s, const char *text, size_t len, struct err *e)
{
	size_t pos = 0, n = 0;
	char what[32];

	for (;; n++) {
		json_auto_t *document = NULL;
		int r;

		(void)snprintf(what, sizeof(what), "object %zu", n + 1);
		r = jx_parse_next(text, len, &pos, ERR_DEVINFO, what, &document, e);
		if (r < 0)
			return s->found ? 0 : -1;
		if (r == 0)
			break;
		if (n == MAX_DOCUMENTS)
			return s->found ? 0 : err_set(e, ERR_DEVINFO, 0, "over %d objects",
						      MAX_DOCUMENTS);
		take_document(s, document, n == 0);
	}
	return n > 0 ? 0 : err_set(e, ERR_DEVINFO, 0, "the file is empty");
}

int metadata_parse(const char *text, size_t len, const struct claimed_device *c,
		   struct claim_info *ret, struct err *e)
{
	struct stream s = { .device = c, .before = ret, .info = *ret };

	if (read_stream(&s, text, len, e) < 0)
		return -1;
	if (!s.is_known)
		claim_note(s.info.tried, "%s", s.unknown);
	*ret = s.info;
	return s.found;
}

/* -- its files -- */

struct look {
	int dir;			/* of the claim */
	const char *kubelet_dir;
	const struct claimed_device *device;
	size_t n_requests;
	bool torn;			/* a file may be complete in a moment */
	bool found;
	struct claim_info info;		/* when found */
	char tried[CLAIM_TRIED_SIZE];
};

/* A directory in a directory of a driver's: 1 and *ret, 0, -1, which a link is as well. */
static int open_sub(int dir, const char *name, int *ret, struct err *e)
{
	int fd = fs_open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0)
		return errno == ENOENT ? 0 :
					 err_set(e, ERR_IO, errno, "open directory '%s'", name);
	*ret = fd;
	return 1;
}

static int read_request(const struct look *l, const char *request, bool *torn,
			struct claim_info *ret, struct err *e)
{
	auto_free char *text = NULL;
	auto_close int dir = -1;
	size_t len = 0;
	int r = open_sub(l->dir, request, &dir, e);

	if (r <= 0)
		return r;
	r = fs_read_file(dir, FILE_NAME, METADATA_MAX, &text, &len, e);
	*torn |= r < 0 && e->sys == EAGAIN;	/* it grew while it was read */
	if (r <= 0)
		return r;
	r = metadata_parse(text, len, l->device, ret, e);
	*torn |= r < 0;
	return r;
}

/* What is wrong with the file of a request, under its whole path. */
static void note_file(struct look *l, const char *request, const char *wrong)
{
	const struct claimed_device *c = l->device;

	claim_note(l->tried, "%s/plugins/%s/" DIR_NAME "/%s_%s/%s/" FILE_NAME ": %s",
		   l->kubelet_dir, c->driver, c->name_space, c->claim, request, wrong);
}

/* A device that is in several requests is that of the first by name, as the order is random. */
static int visit_request(const char *request, void *arg, struct err *e)
{
	struct look *l = arg;
	struct claim_info info = { 0 };
	struct err why;
	int r;

	if (l->n_requests++ == METADATA_MAX_REQUESTS) {
		claim_note(l->tried, "DRA metadata of claim %.64s: over %d requests",
			   l->device->claim, METADATA_MAX_REQUESTS);
		return 1;	/* enough */
	}
	r = read_request(l, request, &l->torn, &info, &why);
	if (r < 0 && claim_pass_over(info.tried, &why, e) < 0)
		return err_wrap(e, "request '%.64s'", request);
	if (*info.tried)
		note_file(l, request, info.tried);
	if (r > 0 && (!l->found || strcmp(info.request, l->info.request) < 0)) {
		l->found = true;
		l->info = info;
	}
	return 0;
}

/* Look once; request is "" for all there are. */
static int read_once(struct look *l, const char *request, struct err *e)
{
	l->n_requests = 0;
	l->torn = false;
	*l->tried = '\0';
	return *request ? visit_request(request, l, e) : fs_each(l->dir, ".", visit_request, l, e);
}

static int read_patiently(struct look *l, const char *request, const struct deadline *d,
			  struct err *e)
{
	struct deadline until = deadline_earlier(d, deadline_in(TORN_MS));

	for (;;) {
		if (read_once(l, request, e) < 0)
			return -1;
		if (l->found || !l->torn)
			return 0;
		if (deadline_interrupted())
			return deadline_error(ERR_INTERRUPTED, e, "wait for DRA metadata");
		if (deadline_left_ms(&until) == 0)
			return 0;
		deadline_sleep(&until, TORN_WAIT_MS);
	}
}

/* The claim's directory: 1 and *ret, 0, -1. */
static int open_claim(const struct host *h, const struct claimed_device *c, int *ret,
		      struct err *e)
{
	char path[PATH_MAX], claim[256];
	const char *const names[] = { c->driver, DIR_NAME, claim };
	int n = snprintf(claim, sizeof(claim), "%s_%s", c->name_space, c->claim);
	auto_close int dir = -1;
	int r;

	if (n < 0 || (size_t)n >= sizeof(claim) || !name_is_file(claim) || !name_is_file(c->driver))
		return 0;	/* nobody can have made it */
	if (snprintf(path, sizeof(path), "%s/plugins", h->set.kubelet_dir) >= (int)sizeof(path))
		return err_set(e, ERR_IO, ENAMETOOLONG, "directory '%.64s...'", path);
	r = fs_find_dir(h->root, path, &dir, e);
	if (r <= 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int sub = -1;

		r = open_sub(dir, names[i], &sub, e);
		if (r <= 0)
			return r;
		(void)close(dir);
		dir = sub;
	}
	*ret = steal_fd(&dir);
	return 1;
}

/* -- where kubelet does not name the device -- */

/* Copy the component at *p, which must be a name, and move behind it. */
static bool take_component(const char **p, char ret[256])
{
	size_t len = strcspn(*p, "/");

	if (len >= 256)
		return false;
	memcpy(ret, *p, len);
	ret[len] = '\0';
	*p += len;
	return name_is_file(ret);
}

static bool skip_text(const char **p, const char *text, size_t len)
{
	if (strncmp(*p, text, len) != 0)
		return false;
	*p += len;
	return true;
}

/* Take apart the path of a metadata file of this claim. */
static bool split_path(const char *kubelet_dir, const struct claimed_device *c, const char *path,
		       char driver[256], char request[256])
{
	char claim[600];
	size_t len = strlen(kubelet_dir);
	int n = snprintf(claim, sizeof(claim), "/%s/%s_%s/", DIR_NAME, c->name_space, c->claim);

	while (len > 0 && kubelet_dir[len - 1] == '/')
		len--;
	return n > 0 && (size_t)n < sizeof(claim) && skip_text(&path, kubelet_dir, len) &&
	       skip_text(&path, "/plugins/", 9) && take_component(&path, driver) &&
	       skip_text(&path, claim, (size_t)n) && take_component(&path, request) &&
	       strcmp(path, "/" FILE_NAME) == 0;
}

/* Driver and request from the CDI device that mounts the file: 1, 0, -1. */
static int ask_cdi(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		   char driver[256], char request[256], char tried[CLAIM_TRIED_SIZE], struct err *e)
{
	char path[CDI_TEXT_SIZE];
	int r = cdi_find_metadata(h, c, d, path, tried, e);

	if (r <= 0)
		return r;
	if (split_path(h->set.kubelet_dir, c, path, driver, request) &&
	    (!*c->driver || strcmp(c->driver, driver) == 0))
		return 1;
	claim_note(tried, "CDI mounts '%.128s', which is not where this claim's metadata lies",
		   path);
	return 0;
}

int metadata_find(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e)
{
	char driver[256], request[256] = "";
	struct claimed_device device = *c;	/* nothing of it is released here */
	auto_close int dir = -1;
	struct look l = { .kubelet_dir = h->set.kubelet_dir, .device = &device };
	struct err why;
	int r = 1;

	if (!*c->device) {
		r = ask_cdi(h, c, d, driver, request, ret->tried, &why);
		device.driver = driver;
	}
	if (r > 0)
		r = open_claim(h, &device, &dir, &why);
	if (r < 0)
		return claim_pass_over(ret->tried, &why, e);
	if (r == 0)
		return 0;
	l.dir = dir;
	if (read_patiently(&l, request, d, e) < 0)
		return -1;
	if (l.found) {
		memcpy(l.info.tried, ret->tried, sizeof(l.info.tried));
		*ret = l.info;
	}
	if (*l.tried)
		claim_note(ret->tried, "%s", l.tried);
	return l.found;
}
