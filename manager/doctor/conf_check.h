/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_check.h - would the plugin take this configuration?  All that is wrong with it, at once
 *
 * What a document is, a configuration, a list of them, a NetworkAttachmentDefinition or the node's
 * file, is seen from its members.  First all unknown keys are told and taken out, then all values
 * that their rows refuse.  When there are none, it goes through the very code of an ADD
 * (cni/attach/conf_policy.h), which tells the first that is wrong with several keys together.  No
 * node is looked at.
 *
 * The severity is what an ADD does: an error is what it, or the runtime before it, refuses; of a
 * warning it is without effect, which an ADD logs where it sees it; the rest may be meant so.
 */
#ifndef MANAGER_DOCTOR_CONF_CHECK_H
#define MANAGER_DOCTOR_CONF_CHECK_H

#include "base/host.h"
#include "manager/doctor/finding.h"

#include <jansson.h>
#include <stdbool.h>

/* Zeroed, but for the first two, or more of them. */
struct conf_report {
	void (*tell)(const char *text, enum severity severity, void *arg);	/* one line */
	void *arg;
	bool only_ours;			/* not those that install.sh can give us to run as well */
	const struct settings *node;	/* the node's; NULL: any node's, so the defaults */
	unsigned int told[SEVERITY_ERROR + 1];	/* how many lines of each severity */
	unsigned int plugins, checked;	/* how many there were, and are ours to judge */
	/* private */
	const char *within;		/* "spec.config: "; NULL */
	char plugin[32];		/* "plugins[1]", or "" */
};

/* Check an object, which is changed on the way; what it is, a constant. */
const char *conf_check(struct conf_report *r, json_t *doc);
/* The same of what is the node's file, whatever it looks like. */
const char *conf_check_node(struct conf_report *r, json_t *doc);
/* Is it an object of Kubernetes, which a NetworkAttachmentDefinition should be? */
bool conf_is_definition(const json_t *doc);

#endif
