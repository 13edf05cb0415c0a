/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the command line of devinfo-publish */
#include "daemon/publish/options.h"

#include "base/name.h"
#include "base/version.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KUBECONFIG, NODE_NAME, POOL, RESOURCE_PREFIX, DRIVER, ANNOTATIONS, SLICES, NODE_FEATURE,
	EVENTS
};

enum { HELP = EVENTS + 1, VERSION };	/* of these something is printed */

/* The member that an option sets: a text where it has an argument, else a flag. */
static const size_t members[] = {
	[KUBECONFIG] = offsetof(struct options, kubeconfig),
	[NODE_NAME] = offsetof(struct options, node_name),
	[POOL] = offsetof(struct options, pool),
	[RESOURCE_PREFIX] = offsetof(struct options, resource_prefix),
	[DRIVER] = offsetof(struct options, driver),
	[ANNOTATIONS] = offsetof(struct options, annotations),
	[SLICES] = offsetof(struct options, slices),
	[NODE_FEATURE] = offsetof(struct options, node_feature),
	[EVENTS] = offsetof(struct options, events),
};

static const struct option known[] = {
	[KUBECONFIG] = { "kubeconfig", required_argument, NULL, KUBECONFIG },
	[NODE_NAME] = { "node-name", required_argument, NULL, NODE_NAME },
	[POOL] = { "pool", required_argument, NULL, POOL },
	[RESOURCE_PREFIX] = { "resource-prefix", required_argument, NULL, RESOURCE_PREFIX },
	[DRIVER] = { "driver", required_argument, NULL, DRIVER },
	[ANNOTATIONS] = { "annotations", no_argument, NULL, ANNOTATIONS },
	[SLICES] = { "slices", no_argument, NULL, SLICES },
	[NODE_FEATURE] = { "node-feature", no_argument, NULL, NODE_FEATURE },
	[EVENTS] = { "events", no_argument, NULL, EVENTS },
	[HELP] = { "help", no_argument, NULL, HELP },
	[VERSION] = { "version", no_argument, NULL, VERSION },
	[VERSION + 1] = { NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: devinfo-publish [--annotations] [--slices] [--node-feature] [--events]\n"
	"                       [OPTION...]\n"
	"\n"
	"Write to the API server what the node knows of its network devices.\n"
	"\n"
	"  --annotations             network-status of the node's pods\n"
	"  --slices                  ResourceSlices of Dynamic Resource Allocation\n"
	"  --node-feature            a NodeFeature of Node Feature Discovery\n"
	"  --events                  Events on the Node, of devices that devinfod finds\n"
	"                            unhealthy\n"
	"  --kubeconfig FILE         how the API server is reached; else, as a pod does\n"
	"  --node-name NAME          of this node in the cluster ($NODE_NAME)\n"
	"  --pool FILE               pools, in the format of sriov-network-device-plugin\n"
	"  --resource-prefix PREFIX  of the resources that name none (intel.com)\n"
	"  --driver NAME             of the ResourceSlices\n"
	"  --help, --version\n"
	"\n"
	"Where its log and the directories are, the node's file says: devinfo.conf(5).\n";

static enum options_want wrong(const char *option, const char *value, const char *expected)
{
	(void)fprintf(stderr, "devinfo-publish: %s cannot be '%.128s': expected %s\n", option,
		      value, expected);
	return OPTIONS_WRONG;
}

static enum options_want print(const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return OPTIONS_ENOUGH;
	perror("devinfo-publish: stdout");
	return OPTIONS_WRONG;
}

static enum options_want check(const struct options *o)
{
	if (!o->annotations && !o->slices && !o->node_feature && !o->events) {
		(void)fprintf(stderr, "devinfo-publish: nothing is to be published: --annotations, "
				      "--slices, --node-feature or --events is missing\n");
		return OPTIONS_WRONG;
	}
	if (o->kubeconfig && *o->kubeconfig != '/')
		return wrong("--kubeconfig", o->kubeconfig, "an absolute path");
	if (o->pool && *o->pool != '/')
		return wrong("--pool", o->pool, "an absolute path");
	if (!name_is_dns_subdomain(o->resource_prefix))
		return wrong("--resource-prefix", o->resource_prefix,
			     "a DNS name in lower case, such as 'intel.com'");
	if (o->node_name && !name_is_dns_subdomain(o->node_name))
		return wrong("--node-name", o->node_name, "a DNS name in lower case");
	if (o->driver && (!name_is_dns_subdomain(o->driver) || strlen(o->driver) > 63))
		return wrong("--driver", o->driver,
			     "a DNS name in lower case, of at most 63 bytes");
	return OPTIONS_RUN;
}

static void take(int option, struct options *o)
{
	void *member = (char *)o + members[option];

	if (known[option].has_arg == required_argument)
		*(const char **)member = optarg;
	else
		*(bool *)member = true;
}

enum options_want options_parse(int argc, char **argv, struct options *ret)
{
	const char *node = getenv("NODE_NAME");
	struct options o = { .node_name = node && *node ? node : NULL,
			     .resource_prefix = "intel.com" };
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == HELP || c == VERSION)
			return print(c == HELP ? help : "devinfo-publish " DEVINFO_VERSION "\n");
		if (c == '?')
			return OPTIONS_WRONG;
		take(c, &o);
	}
	if (optind < argc) {
		(void)fprintf(stderr, "devinfo-publish: '%.128s' is no option\n", argv[optind]);
		return OPTIONS_WRONG;
	}
	*ret = o;
	return check(ret);
}
