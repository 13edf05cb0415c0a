/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_call.c - the environment of a call: lines of NAME=VALUE, as the engines' are recorded */
#include "base/name.h"
#include "cni/call/call.h"
#include "tests/fuzz/fuzz.h"

static void set_environment(char *text)
{
	char *save = NULL;

	must(clearenv() == 0);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(line, '=');

		if (!eq || eq == line || strncmp(line, "CNI_", 4) != 0)
			continue;
		*eq = '\0';
		must(setenv(line, eq + 1, 1) == 0);
	}
}

static void fuzz_one(const char *text, size_t len)
{
	auto_call struct cni_call call = { 0 };
	auto_free char *copy = strndup(text, len);
	struct err e = { 0 };
	enum verb verb = VERBS;
	int rc;

	must(copy);
	set_environment(copy);
	rc = call_verb(&verb, &e);
	must_agree(rc, &e);
	must(rc == 0 ? verb < VERBS : verb == VERBS);
	if (rc == 0)
		rc = call_from_env(verb, &call, &e);
	must_agree(rc, &e);
	if (rc < 0) {
		must(e.code == ERR_ENV && !call.args);
		return;
	}
	accepted();
	must(call.verb == verb);
	if (verb != VERB_ADD && verb != VERB_DEL && verb != VERB_CHECK)
		return;
	must(name_is_cni_id(call.container_id) && name_is_ifname(call.ifname));
	must(verb == VERB_DEL || *call.netns == '/');
}
