/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.c - what commands share: what the options mean, and how something is changed */
#include "manager/ctl/ctl.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ctl_is_json(const struct ctl_options *opt)
{
	return opt->json || (opt->output && strcmp(opt->output, "json") == 0);
}

const char *ctl_device_id(const char *id, char ret[NAME_BDF_SIZE])
{
	char with[NAME_BDF_SIZE];

	(void)snprintf(with, sizeof(with), "0000:%.8s", id);
	return strlen(id) == strlen("01:10.0") && name_to_bdf(with, ret) ? ret : id;
}

bool ctl_is_name(const struct ctl_options *opt)
{
	return opt->output && strcmp(opt->output, "name") == 0;
}

bool ctl_is_wide(const struct ctl_options *opt)
{
	return opt->output && strcmp(opt->output, "wide") == 0;
}

/* The plugin waits for a kubelet that starts; a person wants to hear at once that there is none. */
unsigned int ctl_timeout_ms(const struct host *host, const struct ctl_options *opt)
{
	struct err ignored;

	if (opt->timeout)
		return (unsigned int)strtoul(opt->timeout, NULL, 10);
	if (host->facts)	/* nobody is waited for, but files are searched */
		return host->set.podres_timeout_ms;
	return fs_exists(host->root, &ignored, "%s", host->set.kubelet_socket) == 0 ?
		       1 : host->set.podres_timeout_ms;
}

void ctl_act_as_plugin(const struct host *host)
{
	struct err e;

	(void)signal(SIGPIPE, SIG_IGN);
	deadline_catch_signals();
	log_set_level(host->set.log_level);
	if (host->set.log_file && log_open(host->root, host->set.log_file, &e) < 0)
		(void)ctl_error(&e);
}
