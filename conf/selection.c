/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c - what the pod's author asked for: the network selection annotation */
#include "conf/selection.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

#define NETWORKS "k8s.v1.cni.cncf.io/networks"

json_t *selection_from_runtime(const json_t *runtime)
{
	const json_t *text = json_object_get(json_object_get(runtime, POD_ANNOTATIONS), NETWORKS);
	const char *s = json_string_value(text);
	struct err e;
	json_t *list;

	if (!s || s[strspn(s, " \t\r\n")] != '[')
		return NULL;
	list = jx_parse(s, json_string_length(text), ERR_NETCONF, NETWORKS, &e);
	if (!list)
		log_info("msg=\"%s\" details=\"%s\"", e.msg, e.details);
	return list;
}

/* A name may come with its namespace: "default/net-a". */
static bool is_about(const json_t *element, const char *network, const char *ifname)
{
	const char *name = json_string_value(json_object_get(element, "name"));
	const char *interface = json_string_value(json_object_get(element, "interface"));
	const char *slash = name ? strchr(name, '/') : NULL;

	return name && strcmp(slash ? slash + 1 : name, network) == 0 &&
	       (!interface || strcmp(interface, ifname) == 0);
}

const char *selection_device_id(const json_t *list, const char *network, const char *ifname)
{
	const json_t *element, *found = NULL;
	const char *id;
	size_t i;

	json_array_foreach(list, i, element) {
		if (!is_about(element, network, ifname))
			continue;
		if (found)
			return NULL;
		found = element;
	}
	id = json_string_value(json_object_get(found, "deviceID"));
	return id && name_is_device_id(id) ? id : NULL;
}

bool selection_is_ambiguous(const json_t *list, const char *network, const char *ifname)
{
	const json_t *element;
	size_t i, n = 0;
	bool asks = false;

	json_array_foreach(list, i, element) {
		if (!is_about(element, network, ifname))
			continue;
		n++;
		asks |= json_object_get(element, "deviceID") != NULL;
	}
	return n > 1 && asks;
}

/* What is not said is the pod's own. */
static void namespace_of(const json_t *element, const char *pods, char ret[64])
{
	const char *name = json_string_value(json_object_get(element, "name"));
	const char *said = json_string_value(json_object_get(element, "namespace"));
	size_t n = strcspn(name, "/");

	if (name[n])
		(void)snprintf(ret, 64, "%.*s", n < 64 ? (int)n : 0, name);
	else
		(void)snprintf(ret, 64, "%s", said ? said : pods ? pods : "");
	if (!name_is_dns_label(ret))
		*ret = '\0';
}

void selection_namespace(const json_t *list, const char *network, const char *ifname,
			 const char *pod_namespace, char ret[64])
{
	char first[64] = "", next[64];
	const json_t *element;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, element) {
		if (!is_about(element, network, ifname))
			continue;
		namespace_of(element, pod_namespace, next);
		if (found && strcmp(first, next) != 0)
			return;
		memcpy(first, next, sizeof(first));
		found = true;
	}
	if (found)
		memcpy(ret, first, sizeof(first));
}
