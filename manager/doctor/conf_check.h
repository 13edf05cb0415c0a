/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_check.h - find all errors of a configuration at once, as the plugin would refuse them
 *
 * The members of a document decide whether it is a configuration, a list of them, a
 * NetworkAttachmentDefinition or the node's file.  First all unknown keys are reported and removed,
 * then all values that their rows refuse are reported.  When there are none, the document goes
 * through the code of an ADD (cni/attach/conf_policy.h), which reports the first contradiction
 * between keys.  No node is read.
 *
 * The severity follows an ADD: an error is refused by it, or by the runtime before it; a warning is
 * about something without effect, which an ADD logs; other lines are hints.
 */
#ifndef MANAGER_DOCTOR_CONF_CHECK_H
#define MANAGER_DOCTOR_CONF_CHECK_H

#include "base/host.h"
#include "manager/doctor/finding.h"

#include <jansson.h>
#include <stdbool.h>

/* The caller sets tell and arg, and only_ours, is_network or node if needed; the rest is zeroed. */
struct conf_report {
	void (*tell)(const char *text, enum severity severity, void *arg);	/* one line */
	void *arg;
	bool only_ours;			/* skip plugin types that install.sh can replace by us */
	bool is_network;		/* devinfo/network reads resourceName beside plugins */
	const struct settings *node;	/* the node's; NULL: any node's, so the defaults */
	unsigned int told[SEVERITY_ERROR + 1];	/* how many lines of each severity */
	unsigned int plugins, checked;	/* number found, and number checked */
	/* private */
	const char *within;		/* "spec.config: "; NULL */
	char plugin[32];		/* "plugins[1]", or "" */
};

/* Check an object, which is changed meanwhile; returns its kind, a constant. */
const char *conf_check(struct conf_report *r, json_t *doc);
/* The same for a document that is known to be the node's file. */
const char *conf_check_node(struct conf_report *r, json_t *doc);
/* Is it a Kubernetes object, so that it should be a NetworkAttachmentDefinition? */
bool conf_is_definition(const json_t *doc);

#endif
