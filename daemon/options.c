/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line of devinfod, which is sriov-network-device-plugin's as well
 *
 * A DaemonSet of that plugin starts ours with the same arguments: "-" and "--" are one, as Go has
 * it, and the options of its log (glog), which say how it is written and not what is done, are
 * accepted and do nothing: the node's file says where our log is.
 */
#include "daemon/options.h"

#include "base/mem.h"
#include "base/name.h"
#include "base/version.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { CONFIG_FILE = 256, RESOURCE_PREFIX, USE_CDI, GLOG, HELP, VERSION };

static const struct option known[] = {
	{ "config-file", required_argument, NULL, CONFIG_FILE },
	{ "resource-prefix", required_argument, NULL, RESOURCE_PREFIX },
	{ "use-cdi", optional_argument, NULL, USE_CDI },
	{ "help", no_argument, NULL, HELP },
	{ "version", no_argument, NULL, VERSION },
	{ "v", required_argument, NULL, GLOG },
	{ "vmodule", required_argument, NULL, GLOG },
	{ "logtostderr", optional_argument, NULL, GLOG },
	{ "alsologtostderr", optional_argument, NULL, GLOG },
	{ "stderrthreshold", required_argument, NULL, GLOG },
	{ "log_dir", required_argument, NULL, GLOG },
	{ "log-dir", required_argument, NULL, GLOG },	/* of its start script */
	{ "log-level", required_argument, NULL, GLOG },
	{ "log_backtrace_at", required_argument, NULL, GLOG },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: devinfod [--config-file FILE] [--resource-prefix PREFIX] [--use-cdi]\n"
	"\n"
	"Serve the node's devices to kubelet, as a device plugin.\n"
	"\n"
	"  --config-file FILE        pools, in the format of sriov-network-device-plugin\n"
	"                            (" OPTIONS_CONFIG_FILE ")\n"
	"  --resource-prefix PREFIX  of the resources that name none (intel.com)\n"
	"  --use-cdi                 name devices by the Container Device Interface\n"
	"  --help, --version\n"
	"\n"
	"Where its log and the directories are, the node's file says: devinfo.conf(5).\n";

static enum options_want wrong(const char *option, const char *value, const char *expected)
{
	(void)fprintf(stderr, "devinfod: %s cannot be '%.128s': expected %s\n", option, value,
		      expected);
	return OPTIONS_WRONG;
}

/* As Go's flag package has it: --use-cdi, --use-cdi=true.  False: it is no such word. */
static bool read_bool(const char *value, bool *ret)
{
	static const char *const words[] = { "1", "t", "T", "true", "TRUE", "True",
					     "0", "f", "F", "false", "FALSE", "False" };
	const size_t n = ARRAY_SIZE(words);
	size_t i = 0;

	while (value && i < n && strcmp(value, words[i]) != 0)
		i++;
	*ret = !value || i < n / 2;
	return i < n;
}

static enum options_want print(const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return OPTIONS_ENOUGH;
	perror("devinfod: stdout");
	return OPTIONS_WRONG;
}

static enum options_want check(const struct options *o)
{
	if (*o->config_file != '/')
		return wrong("--config-file", o->config_file, "an absolute path");
	if (!name_is_dns_subdomain(o->resource_prefix))
		return wrong("--resource-prefix", o->resource_prefix,
			     "a DNS name in lower case, such as 'intel.com'");
	return OPTIONS_RUN;
}

enum options_want options_parse(int argc, char **argv, struct options *ret)
{
	struct options o = { .config_file = OPTIONS_CONFIG_FILE, .resource_prefix = "intel.com" };
	int c, i;

	optind = 1;
	while ((c = getopt_long_only(argc, argv, "", known, &i)) != -1) {
		if (c == CONFIG_FILE)
			o.config_file = optarg;
		else if (c == RESOURCE_PREFIX)
			o.resource_prefix = optarg;
		else if (c == USE_CDI && !read_bool(optarg, &o.use_cdi))
			return wrong("--use-cdi", optarg, "true or false");
		else if (c == GLOG && !o.ignored)
			o.ignored = known[i].name;
		else if (c == HELP || c == VERSION)
			return print(c == HELP ? help : "devinfod " DEVINFO_VERSION "\n");
		else if (c == '?')
			return OPTIONS_WRONG;
	}
	if (optind < argc) {
		(void)fprintf(stderr, "devinfod: '%.128s' is no option\n", argv[optind]);
		return OPTIONS_WRONG;
	}
	*ret = o;
	return check(ret);
}
