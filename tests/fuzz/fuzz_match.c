/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_match.c - expressions that an administrator wrote, met by a device that has all types */
#include "manager/match/match.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char device[] =
	"{\"id\":\"0000:01:10.0\",\"driver\":\"iavf\",\"firmware\":\"16.35.2000 (MT_01)\","
	"\"numa_node\":-1,\"mtu\":1500,\"is_vf\":true,\"rdma\":[\"mlx5_0\",\"mlx5_1\"],"
	"\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\",\"b\":\"\"}";

static void fuzz_one(const char *text, size_t len)
{
	json_auto_t *o = json_loads(device, 0, NULL), *before = json_deep_copy(o);
	auto_free char *string = strndup(text, len);	/* which it is, on a command line */
	struct err e = { 0 };
	auto_match struct match *m = match_parse(string, &e);

	must(!m == (e.code == ERR_NETCONF));
	if (!m)
		return;

	accepted();
	must_agree(match_meets(m, o, &e), &e);
	must(json_equal(o, before));
	e = (struct err){ 0 };
	must_agree(match_check_names(m, &e), &e);
}
