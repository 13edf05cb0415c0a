/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - the versions of the CNI specification that we speak */
#include "conf/version.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char names[][8] = {	/* no pointers: base/tables.h */
	[CNI_0_1_0] = "0.1.0", [CNI_0_2_0] = "0.2.0", [CNI_0_3_0] = "0.3.0",
	[CNI_0_3_1] = "0.3.1", [CNI_0_4_0] = "0.4.0", [CNI_1_0_0] = "1.0.0",
	[CNI_1_1_0] = "1.1.0",
};
static_assert(ARRAY_SIZE(names) == CNI_VERSIONS, "a name for each version");

at_start const char *cni_version_name(enum cni_version v)
{
	return names[v];
}

/* In the words of the Go library, which engines show and users look up. */
static int refuse_version(const char *text, struct err *e)
{
	char list[CNI_VERSIONS * sizeof("\"0.0.0\" ")] = "";
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s\"%s\"", i ? " " : "",
				      names[i]);
	(void)err_set(e, ERR_VERSION, 0, "incompatible CNI versions");
	return err_detail(e, "config is \"%.32s\", plugin supports [%s]", text, list);
}

int cni_version_parse(const char *text, enum cni_version *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(text, names[i]) == 0) {
			*ret = (enum cni_version)i;
			return 0;
		}
	return refuse_version(text, e);
}
