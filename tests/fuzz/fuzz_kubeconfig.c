/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kubeconfig.c - a kubeconfig: what is taken says only what is allowed */
#include "daemon/api/kubeconfig.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_one(const char *text, size_t len)
{
	struct kubeconfig k = { .doc = NULL };
	struct err e = { 0 };
	int r = kubeconfig_parse(text, len, &k, &e);

	must_agree(r, &e);
	if (r < 0) {
		must(!k.doc && !k.server && !k.token);
		return;
	}
	must(strncmp(k.server, "https://", 8) == 0);
	must(!strpbrk(k.server, "@?#\n\r "));
	must(!k.token || *k.token);
	must(!(k.cert_data || k.cert_file) == !(k.key_data || k.key_file));
	kubeconfig_done(&k);
	accepted();
}
