/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sriovcni_state.c - a record that sriov-cni has written, torn perhaps, as one of ours */
#include "base/name.h"
#include "cni/sriovcni/sriovcni_state.h"
#include "tests/fuzz/fuzz.h"

static void check(struct record *rec)
{
	json_auto_t *doc = NULL;
	auto_record struct record again = { 0 };
	struct err e = { 0 };

	must(rec->doc && name_is_cni_id(rec->owner.network) && name_is_bdf(rec->device));
	must(!rec->lease_of || name_is_file(rec->lease_of));
	must(rec->is_pci && rec->unique_parent && !rec->request && !rec->ipam_type &&
	     !rec->chained);
	must((rec->vf.have | rec->vf_set) <= VF_ALL && rec->vf.vlan < 4096 && rec->vf.qos < 8);
	must(!rec->netdev.present || (name_is_ifname(rec->netdev.name) && rec->netdev.ifindex > 0));
	/* what adopt.c adds, and then the journal can hold it */
	rec->owner.container_id = rec->owner.ifname = "c";
	rec->devinfo_dir = rec->run_dir = "/d";
	doc = record_to_json(rec);
	must(doc);
	again.doc = json_incref(doc);
	must(record_from_json(&again, &e) == 0);
	accepted();
}

static void fuzz_one(const char *text, size_t len)
{
	static const struct sriovcni_state before = { .file = "before" };
	auto_sriovcni_state struct sriovcni_state s = before;
	struct err e = { 0 };
	int rc = sriovcni_state_parse(text, len, &s, &e);

	must_agree(rc, &e);
	if (rc == 0)
		check(&s.rec);
	else
		must(memcmp(&s, &before, sizeof(s)) == 0);
}
