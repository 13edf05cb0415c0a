/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata_parse.c - what a stream of DRA metadata says of a device
 *
 * A driver may describe a device later: it replaces the whole stream by one of the next generation.
 * Of the objects of the highest generation the first that tells of the device counts, and a broken
 * tail behind it is of no interest.
 *
 * v1beta1 (Kubernetes 1.37, which every driver of that library writes) and v1alpha1 (1.36) have the
 * same members.
 */
#include "devinfo/kubelet/metadata.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

#define GROUP	"metadata.resource.k8s.io/"

enum { MAX_DOCUMENTS = 16 };	/* apiVersions of a stream */

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

static void take_attributes(const json_t *document, const json_t *request, const json_t *device,
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
		take_attributes(document, its, ours, ret);
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

/* -- the stream -- */

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
