/* SPDX-License-Identifier: Apache-2.0 */
/* family.h - the metrics that there are: their names, types, units and what they say */
#ifndef DAEMON_METRICS_FAMILY_H
#define DAEMON_METRICS_FAMILY_H

#include "base/attr.h"

#include <stdbool.h>

enum family {
	FAMILY_BUILD,
	FAMILY_DEVICES,
	FAMILY_DEVICES_IN_USE,
	FAMILY_ATTACHMENTS,
	FAMILY_LEAKS,
	FAMILY_CALL_DURATION,
	FAMILY_CALL_ERRORS,
	FAMILY_DAEMON_CPU,
	FAMILY_DAEMON_MEMORY,
	FAMILY_VF,
	FAMILY_VF_RX_BYTES,
	FAMILY_VF_TX_BYTES,
	FAMILY_VF_RX_PACKETS,
	FAMILY_VF_TX_PACKETS,
	FAMILY_VF_BROADCAST,
	FAMILY_VF_MULTICAST,
	FAMILY_VF_RX_DROPPED,
	FAMILY_VF_TX_DROPPED,
	FAMILY_RDMA_RX_BYTES,
	FAMILY_RDMA_TX_BYTES,
	FAMILY_RDMA_RX_PACKETS,
	FAMILY_RDMA_TX_PACKETS,
	FAMILY_RDMA_PORT_COUNTER,
	FAMILY_RDMA_HW_COUNTER,
	FAMILIES
};

enum family_type { FAMILY_COUNTER, FAMILY_GAUGE, FAMILY_INFO, FAMILY_HISTOGRAM };

struct family_row {
	const char *name;		/* ends with its unit */
	enum family_type type;
	const char *unit;		/* NULL: it is a number of things */
	bool is_in_millionths;		/* of its unit; not the counts of a histogram */
	const char *help;
};

extern const struct family_row families[FAMILIES];

/* "counter", as OpenMetrics has it; an info is a gauge in the older format. */
const char *family_type_name(enum family_type type) must_check;
/* What follows the name of a family in the names of its samples; not of a histogram's. */
const char *family_suffix(enum family_type type) must_check;

#endif
