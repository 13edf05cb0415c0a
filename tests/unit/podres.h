/* SPDX-License-Identifier: Apache-2.0 */
/* podres.h - what a pod has by an answer of kubelet's, and how a test says it in a line */
#ifndef TESTS_UNIT_PODRES_H
#define TESTS_UNIT_PODRES_H

#include "base/mem.h"
#include "devinfo/kubelet/podres.h"
#include "tests/unit/allocation.h"
#include "tests/unit/podres_message.h"
#include "tests/unit/tap.h"

#define VF "example.com/vf"

static struct allocation got;
static struct err err;

static inline const char *ids(const char *resource)
{
	return allocation_ids(&got, resource);
}

/* A claimed device as "namespace/claim driver pool device share cdi,cdi", "-" for "". */
static inline const char *claimed(size_t i)
{
	static char text[2048];
	const struct claimed_device *c = &got.claimed[i];
	const char *const parts[] = { c->driver, c->pool, c->device, c->share };
	size_t used;

	if (i >= got.n_claimed)
		return "none";
	used = (size_t)snprintf(text, sizeof(text), "%s/%s", c->name_space, c->claim);
	for (size_t n = 0; n < ARRAY_SIZE(parts); n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s",
					 *parts[n] ? parts[n] : "-");
	for (size_t n = 0; n < c->n_cdi; n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%c%s", n ? ',' : ' ',
					 c->cdi[n]);
	return text;
}

/* It says so, in one line, and has left nothing in *ret. */
static inline void expect_words(const char *msg, const char *details)
{
	ok(strstr(err.msg, msg));
	ok(strstr(err.details, details));
	if (!strstr(err.msg, msg) || !strstr(err.details, details))
		(void)printf("#  code %d msg '%s' details '%s'\n", err.code, err.msg, err.details);
	ok(!strchr(err.msg, '\n') && !strstr(err.msg, "not found"));
	ok(got.n_devices == 0 && !got.devices && got.n_claimed == 0 && !got.claimed);
}

#endif
