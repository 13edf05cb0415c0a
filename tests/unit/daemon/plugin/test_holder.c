/* SPDX-License-Identifier: Apache-2.0 */
/* test_holder.c - who lives and has a device, by the journal of a recorded node */
#include "daemon/plugin/holder.h"

#include "tests/unit/offered.h"

#define RECORD "var/lib/cni/devinfo/attachments/*@0000:01:10.0.json"

int main(void)
{
	struct offered_node n;
	struct err e = { 0 };

	offered_open("fleet/igb-pods", NULL, "{'resourceList': []}", &n);
	test("a live attachment has its device, and no other");
	eqi(holder_lives(&n.node.host, "0000:01:10.0", &e), 1);
	eqi(holder_lives(&n.node.host, "0000:01:00.0", &e), 0);
	test("one that was released has none");
	node_sh(&n.node, "sed -i 's/\"released\": false/\"released\": true/' " RECORD);
	eqi(holder_lives(&n.node.host, "0000:01:10.0", &e), 0);
	test("nor has one of another boot");
	node_sh(&n.node, "sed -i 's/\"released\": true/\"released\": false/; s/\"bootID\": \"6/"
			 "\"bootID\": \"7/' " RECORD);
	eqi(holder_lives(&n.node.host, "0000:01:10.0", &e), 0);
	test("without a journal nobody has anything");
	node_sh(&n.node, "rm -r var/lib/cni/devinfo");
	eqi(holder_lives(&n.node.host, "0000:01:10.0", &e), 0);
	offered_close(&n);
	return tap_end();
}
