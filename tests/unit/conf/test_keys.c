/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_keys.c - who may say what: every row of the tables, in every place of a chain
 *
 * Each key is put where its row says that it stands, and where no row says so, and the parsers
 * have to agree; devinfo.conf(5) has to print the same table.
 */
#include "conf/keys.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cni/call/call.h"
#include "conf/netconf_parts.h"
#include "conf/node.h"
#include "conf/settings.h"
#include "conf/unknown.h"
#include "tests/unit/tap.h"

#include <unistd.h>

#define MAN "install/man/devinfo.conf.5"

/*
 * A good value of each key of a network or the node's file whose row does not have one by its type,
 * and what it needs beside it.  NULL: it is always there, makes the place itself, or is good only
 * with what says nothing.
 */
static const struct sample {
	const char *name, *value, *with;
} samples[] = {
	{ "switchDir", "\"/x\"", "" }, { "ovsDb", "\"/x\"", "" }, { "ovsSocketDir", "\"/x\"", "" },
	{ "allowPlugins", "[\"static\"]", "" }, { "ipamInParallel", "[\"static\"]", "" },
	{ "switchPrograms", "[\"/x\"]", "" }, { "cniPath", "\"/x\"", "" }, { "root", "\"/x\"", "" },
	{ "logFile", "\"/x/y\"", "" }, { "logLevel", "\"info\"", "" },
	{ "hostDirs", "[\"vpp\"]", "" }, { "allowDevices", "[\"*\"]", "" },
	{ "nodeName", "\"n1.example.com\"", "" }, { "tolerate", "[\"k=v:NoExecute\"]", "" },
	{ "globalNamespaces", "[\"apps\"]", "" },
	{ "devinfod", "{\"gcInterval\":60}", "" },
	{ "devinfod.metricsAddress", "\"127.0.0.1:9808\"", "" },
	{ "denyDevices", "[\"eth*\"]", "" }, { "drivers", "[\"vfio-pci\"]", "" },

	{ "cniVersion", NULL, "" }, { "name", NULL, "" }, { "type", "\"devinfo\"", "" },
	{ "capabilities", "{\"mac\":true}", "" }, { "prevResult", NULL, "" },
	{ "runtimeConfig", "{\"mac\":\"02:00:00:00:00:01\"}", "" },
	{ "args", "{\"cni\":{}}", "" }, { "delegate", NULL, "" }, { "delegates", NULL, "" },
	{ "deviceID", "\"0000:01:10.0\"", "" }, { "pciBusID", "\"0000:01:10.0\"", "" },
	{ "device", "\"v0\"", "" }, { "resourceName", "\"a/b\"", "" }, { "claim", "\"c\"", "" },
	{ "request", "\"r\"", "" }, { "vlanQoS", "3", ",\"vlan\":7" },
	{ "vlanProto", "\"802.1q\"", ",\"vlan\":7" }, { "bridge", "\"br0\"", "" },
	{ "trunk", "[{\"id\":7}]", "" }, { "setUplinkVlan", NULL, "" },
	{ "guid", "\"00:11:22:33:44:55:66:01\"", "" }, { "pkey", "\"0x7\"", "" },
	{ "ibKubernetesEnabled", NULL, "" }, { "driver", "\"vfio-pci\"", "" },
	{ "vdpa", "{\"driver\":\"vhost\"}", "" }, { "mac", "\"02:00:00:00:00:01\"", "" },
	{ "ipam", "{}", "" }, { "dns", "{\"nameservers\":[]}", "" },
	{ "vhostUser", "{\"mode\":\"server\"}", "" }, { "memif", "{\"role\":\"master\"}", "" },
	{ "switch", "{\"type\":\"ovs\",\"bridge\":\"br0\"}", "" },
	{ "host", "{}", "" }, { "container", "{}", "" }, { "sharedDir", "\"d\"", "" },
	{ "mappedDir", "\"/d\"", "" },

	{ "ipam.type", "\"static\"", "" }, { "dns.domain", "\"example.com\"", "" },
	{ "dns.nameservers", "[\"192.0.2.53\"]", "" }, { "dns.search", "[\"example.com\"]", "" },
	{ "dns.options", "[\"ndots:5\"]", "" },
	{ "trunk[].id", "7", "" }, { "trunk[].minID", "7", ",\"maxID\":8" },
	{ "trunk[].maxID", "8", ",\"minID\":7" },
	{ "vdpa.mgmtdev", "\"vdpasim_net\"", "" },
	{ "vdpa.mac", "\"02:00:00:00:00:01\"", ",\"create\":true" },
	{ "vdpa.mtu", "1400", ",\"create\":true" }, { "vdpa.features", "1", ",\"create\":true" },
	{ "vdpa.nodeOwner", "\"1:1\"", "" }, { "memif.secret", "\"s\"", "" },
#define SOCKET(o)                                                                       \
	{ o ".hostDir", "\"d\"", "" }, { o ".containerDir", "\"/d\"", "" },             \
	{ o ".socket", "\"s\"", "" }, { o ".selinuxLabel", "\"u:r:t:s0\"", "" }
	SOCKET("vhostUser"), SOCKET("memif"),
	{ "switch.type", "\"ovs\"", ",\"bridge\":\"br0\"" },
	{ "switch.bridge", "\"br0\"", ",\"type\":\"ovs\"" },
	{ "switch.path", "\"/x\"", ",\"type\":\"exec\"" },
	{ "switch.config", "{}", ",\"type\":\"exec\",\"path\":\"/x\"" },
	{ "switch.timeoutMs", "7", ",\"type\":\"ovs\",\"bridge\":\"br0\"" },
};

static const struct sample *sample_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		if (strcmp(samples[i].name, name) == 0)
			return &samples[i];
	return NULL;
}

/* A good value by the row alone, or NULL. */
static const char *value_of(const struct conf_key *k, char ret[64])
{
	size_t last = 0;

	while (k->choices && k->choices[last + 1])
		last++;
	if (k->choices)
		(void)snprintf(ret, 64, k->type == KEY_TEXTS ? "[\"%s\"]" : "\"%s\"",
			       k->choices[last]);
	else if (k->type == KEY_INT)
		(void)snprintf(ret, 64, "%lld", (long long)k->max);
	else if (k->type == KEY_BOOL || k->type == KEY_BOOL_OR_UNSET)
		(void)snprintf(ret, 64, "true");
	else if (k->type == KEY_MODE)
		(void)snprintf(ret, 64, "\"0%llo\"", (unsigned long long)k->max);
	else if (k->type == KEY_PATH)
		(void)snprintf(ret, 64, "\"/x\"");
	else
		return NULL;
	return ret;
}

/*
 * The member of a configuration that says it, ",\"vdpa\":{\"maxVqp\":7,\"driver\":\"vhost\"}":
 * members that an object cannot be without are added.  1; 0 when there is no value to say.
 */
static int say(const struct key_section *s, const struct conf_key *k, char ret[256])
{
	static const struct {
		const char *path, *name, *or, *member;
	} needed[] = {
		{ "vhostUser", "mode", "hostMode", ",\"mode\":\"server\"" },
		{ "memif", "role", "hostRole", ",\"role\":\"slave\"" },
		{ "vdpa", "driver", "", ",\"driver\":\"vhost\"" },
	};
	char name[KEY_NAME_MAX], derived[64], object[32];
	const struct sample *sample = sample_of(key_full_name(s, k, name));
	const char *value = sample ? sample->value : value_of(k, derived), *member = "";
	bool list = strchr(s->path, '[') != NULL;

	if (!value)
		return 0;
	(void)snprintf(object, sizeof(object), "%.*s", (int)strcspn(s->path, "["), s->path);
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (strcmp(s->path, needed[i].path) == 0 && strcmp(k->name, needed[i].name) != 0 &&
		    strcmp(k->name, needed[i].or) != 0)
			member = needed[i].member;
	(void)snprintf(ret, 256, "%s%s%s%s\"%s\":%s%s%s%s%s", *object ? ",\"" : ",", object,
		       *object ? "\":" : "", *object ? (list ? "[{" : "{") : "", k->name, value,
		       sample ? sample->with : "", member, *object ? "}" : "", list ? "]" : "");
	return 1;
}

/* What makes a configuration one of that place, and needs no device beside it. */
static const struct {
	enum key_place place;
	const char *conf;
} places[] = {
	{ AT_OWNER, "" },
	{ AT_CHAINED, ",\"prevResult\":{\"cniVersion\":\"1.1.0\"}" },
	{ AT_META, ",\"delegate\":{\"type\":\"sriov\"}" },
	{ AT_SOCKET, ",\"vhostUser\":{\"mode\":\"server\"}" },
};

/* A configuration as an ADD reads it. */
static int read_network(const char *text, struct err *e)
{
	auto_netconf struct netconf nc = { 0 };
	struct settings set = settings_default;

	*e = (struct err){ 0 };
	if (netconf_parse(text, strlen(text), &nc, e) < 0 || netconf_settings(&nc, &set, e) < 0)
		return -1;
	return netconf_attachment(&nc, e);
}

/* A key of sockets makes it a socket's attachment, but where another plugin came before. */
static bool is_allowed(const struct conf_key *k, enum key_place place)
{
	if (k->places == AT_SOCKET)
		return place != AT_CHAINED;
	return k->places & (unsigned int)place;
}

/* Members of the same object do not come twice, nor a switch program without its socket. */
static const char *base_of(const struct key_section *s, const struct conf_key *k, size_t place)
{
	const char *object = *s->path ? s->path : k->name;

	if (strcmp(object, "switch") == 0 && k->places == AT_SOCKET &&
	    places[place].place != AT_SOCKET)
		return places[place].place == AT_CHAINED ?
			       ",\"prevResult\":{},\"memif\":{\"role\":\"slave\"}" :
			       ",\"vhostUser\":{\"mode\":\"server\"}";
	if (places[place].place == AT_SOCKET &&
	    (strcmp(object, "vhostUser") == 0 || strcmp(object, "memif") == 0))
		return "";
	if (places[place].place == AT_SOCKET &&
	    (strncmp(object, "trunk", 5) == 0 || strcmp(object, "vlan") == 0))
		return ",\"vhostUser\":{\"mode\":\"server\"},\"switch\":{\"type\":\"ovs\","
		       "\"bridge\":\"b\"}";
	return places[place].conf;
}

static void walk_key(const struct key_section *s, const struct conf_key *k)
{
	char text[1024], member[256], name[KEY_NAME_MAX], what[128];
	struct err e;

	(void)snprintf(what, sizeof(what), "a network says %s where it may",
		       key_full_name(s, k, name));
	test(what);
	if (!say(s, k, member)) {	/* there is no value, and that is known */
		ok(sample_of(name) != NULL);
		return;
	}
	for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
		int r;

		(void)snprintf(text, sizeof(text),
			    "{\"cniVersion\":\"1.1.0\",\"name\":\"net\"%s%s}",
			       base_of(s, k, p), member);
		r = read_network(text, &e);
		if (!ok(r == (is_allowed(k, places[p].place) ? 0 : -1)) ||
		    !ok(r == 0 || e.code == ERR_NETCONF)) {
			(void)printf("#  of %s\n#  said %s\n", text, r < 0 ? e.msg : "nothing");
			return;		/* in the places that follow it is the same */
		}
	}
}

static void walk_network(void)
{
	for (size_t i = 0; i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (key_sections[i].in == IN_NETWORK)
				walk_key(&key_sections[i], k);
}

static void walk_node_key(const struct key_section *s, const struct conf_key *k)
{
	char text[1024], member[256], what[128], want[128], name[KEY_NAME_MAX];
	struct err e;

	(void)snprintf(what, sizeof(what), "%s is the node's to say", key_full_name(s, k, name));
	test(what);
	if (!ok(say(s, k, member)) || *s->path || key_find(IN_NETWORK, k->name))
		return;
	for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
		(void)snprintf(text, sizeof(text),
			    "{\"cniVersion\":\"1.1.0\",\"name\":\"net\"%s%s}",
			       places[p].conf, member);
		(void)snprintf(want, sizeof(want), "%s: not in a network configuration",
			       *s->path ? s->path : k->name);
		if (!ok(read_network(text, &e) == -1 && e.code == ERR_NETCONF) ||
		    !eq(e.msg, want) || !contains(e.details, "in the node's own file"))
			return;		/* in the places that follow it is the same */
	}
}

static void walk_node_keys(void)
{
	for (size_t i = 0; i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (key_sections[i].in == IN_NODE_FILE)
				walk_node_key(&key_sections[i], k);
}

/* One key in a node's file: is it taken? */
static bool node_takes(const char *member)
{
	char path[] = "/tmp/keys.XXXXXX", text[300];
	auto_node struct node node = { 0 };
	int fd = mkstemp(path), n = snprintf(text, sizeof(text), "{%s}", member + 1);
	struct err e;
	bool taken;

	if (fd < 0 || write(fd, text, (size_t)n) != n || close(fd) < 0)
		exit(1);
	taken = node_read(path, &node, &e) == 0 && !node.wrong;
	(void)unlink(path);
	return taken;
}

static void walk_node_file(void)
{
	char member[256];

	test("the node's file has each of its keys, and none of another place");
	for (size_t i = 0; i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (key_sections[i].in <= IN_NETWORK && say(&key_sections[i], k, member))
				ok(node_takes(member) ==
				   (key_sections[i].in == IN_NODE_FILE ||
				    (!*key_sections[i].path && key_find(IN_NODE_FILE, k->name))));
	ok(!node_takes(",\"devinfod\":{\"gcIntervall\":60}"));
	ok(!node_takes(",\"devinfod\":{\"gcInterval\":-1}"));
	ok(!node_takes(",\"devinfod\":[]"));
}

/* podMayOverride names what args.cni and networks have both, but for deviceID. */
static void shared_with_pod(void)
{
	test("podMayOverride may name each key that pods and networks have in common");
	for (const struct conf_key *k = pod_keys; k->name; k++) {
		bool named = false;

		for (const char *const *key = pod_override_choices; *key; key++)
			named |= strcmp(*key, k->name) == 0;
		ok(named == (key_find(IN_NETWORK, k->name) && strcmp(k->name, "deviceID") != 0));
	}
}

static void walk_call(void)
{
	auto_call struct cni_call call = { 0 };
	struct err e;

	test("CNI_ARGS is read for its five keys");
	(void)setenv("CNI_CONTAINERID", "c", 1);
	(void)setenv("CNI_NETNS", "/n", 1);
	(void)setenv("CNI_IFNAME", "net1", 1);
	(void)setenv("CNI_ARGS", "K8S_POD_NAMESPACE=1;K8S_POD_NAME=2;K8S_POD_UID=3;MAC=4;"
		     "deviceID=5", 1);
	ok(call_from_env(VERB_ADD, &call, &e) == 0);
	eq(call.pod_namespace, "1");
	eq(call.pod_name, "2");
	eq(call.pod_uid, "3");
	eq(call.mac, "4");
	eq(call.device_id, "5");
}

/* -- the manual -- */

/* "owner, chained", or "anywhere". */
static void places_of(const struct conf_key *k, char ret[48])
{
	static const char *const names[] = { "owner", "chained", "meta", "socket" };

	(void)snprintf(ret, 48, "%s", k->places == ANYWHERE ? "anywhere" : "");
	for (size_t i = 0; i < ARRAY_SIZE(names) && k->places != ANYWHERE; i++)
		if (k->places >> i & 1)
			(void)snprintf(ret + strlen(ret), 48 - strlen(ret), "%s%s",
				       *ret ? ", " : "", names[i]);
}

/* Who says what is in such a place, but for what is handed on there for another. */
static const char *said_by(const struct key_section *s, const struct conf_key *k)
{
	static const char *const voices[] = {
		[IN_NODE_FILE] = "node", [IN_NETWORK] = "network", [IN_RUNTIME_CONFIG] = "runtime",
		[IN_ARGS_CNI] = "pod",
	};
	static const char *const others[][2] = {
		{ "prevResult", "runtime" }, { "runtimeConfig", "runtime" }, { "args", "pod" },
		{ "io.kubernetes.cri.pod-annotations", "pod" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(k->name, others[i][0]) == 0)
			return others[i][1];
	return voices[s->in];
}

/* The row as devinfo.conf(5) has to print it. */
static void row_of(const struct key_section *s, const struct conf_key *k, char ret[256])
{
	static const char *const stands_in[] = {
		[IN_NODE_FILE] = "node's file", [IN_NETWORK] = "network",
		[IN_RUNTIME_CONFIG] = "runtimeConfig", [IN_ARGS_CNI] = "args.cni",
	};
	char name[KEY_NAME_MAX], at[48];

	(void)key_full_name(s, k, name);
	places_of(k, at);
	(void)snprintf(ret, 256, ".It %s Ta %s Ta %s\n", name,
		       s->in == IN_NETWORK ? said_by(s, k) : stands_in[s->in],
		       s->in == IN_NETWORK ? at : said_by(s, k));
}

/* The line of the page that begins there. */
static const char *line_at(const char *pos)
{
	static char ret[256];

	(void)snprintf(ret, sizeof(ret), "%.*s", (int)strcspn(pos, "\n"), pos);
	return ret;
}

/*
 * One of the two tables: a network's keys, and what else is read.  A row that is missing is one
 * failure, not one for each row behind it, so the first that differs is the last that is looked at.
 */
static void who_may_say_what(const char *page, const char *title, bool network)
{
	const char *const next = network ? ".El" : ".It K8S_POD_NAMESPACE Ta CNI_ARGS";
	const char *pos = strstr(page, ".Sh WHO MAY SAY WHAT\n");
	char row[256];

	test("devinfo.conf(5), WHO MAY SAY WHAT, has each key, in this order, and then others'");
	pos = pos ? strstr(pos, title) : NULL;
	pos = pos ? strstr(pos, ".It Sy name") : NULL;
	pos = pos ? strchr(pos, '\n') : NULL;
	if (!ok(pos != NULL))
		return;
	for (size_t i = 0; i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++) {
			if ((key_sections[i].in == IN_NETWORK) != network)
				continue;
			row_of(&key_sections[i], k, row);
			row[strcspn(row, "\n")] = '\0';
			if (!eq(line_at(pos + 1), row))
				return;
			pos = strchr(pos + 1, '\n');
		}
	begins(line_at(pos + 1), next);
}

/* A name of REFERENCE and what is said of it, without what is for the formatter. */
struct entry {
	char name[256], value[256], by_default[256];
};

/* The words of one line of the page behind so many bytes, without the full stop. */
static void words_of(const char *pos, size_t skip, char ret[256])
{
	char line[512], *word, *state = NULL;
	size_t len;

	(void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(pos + skip, "\n"), pos + skip);
	len = strlen(line);
	if (len > 1 && line[len - 1] == '.')
		line[len - 1] = '\0';
	*ret = '\0';
	for (word = strtok_r(line, " ", &state); word; word = strtok_r(NULL, " ", &state))
		if (strcmp(word, "Va") != 0 && strcmp(word, "Pa") != 0 && strcmp(word, "Li") != 0)
			(void)snprintf(ret + strlen(ret), 256 - strlen(ret), "%s%s",
				       *ret ? " " : "", word);
}

/* An entry begins with ".It Va name"; "Value: ..." and "Default: ..." are lines of it. */
static void read_entry(const char *pos, struct entry *ret)
{
	const char *end = strstr(pos + 1, "\n.It "), *line;

	*ret = (struct entry){ 0 };
	words_of(pos, strlen("\n.It "), ret->name);
	for (line = pos + 1; line && (!end || line < end); line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, ".No ", 4) == 0)
			line += 4;
		if (strncmp(line, "Value: ", 7) == 0)
			words_of(line, 7, ret->value);
		else if (strncmp(line, "Default: ", 9) == 0)
			words_of(line, 9, ret->by_default);
	}
}

/* Is it one of "a , b", or "a, b"? */
static bool is_listed(const char *list, const char *name)
{
	for (size_t len; *list; list += len, list += strspn(list, " ,")) {
		len = strcspn(list, " ,");
		if (len == strlen(name) && strncmp(list, name, len) == 0)
			return true;
	}
	return false;
}

/* The entry of REFERENCE that is about one name. */
static bool find_entry(const char *reference, const char *name, struct entry *ret)
{
	const char *end = strstr(reference, ".Sh WHO");

	for (const char *pos = strstr(reference, "\n.It Va "); pos && pos < end;
	     pos = strstr(pos + 1, "\n.It Va ")) {
		read_entry(pos, ret);
		if (is_listed(ret->name, name))
			return true;
	}
	return false;
}

/* What the page has to say of type and range; NULL: more than the row knows. */
static const char *type_of(const struct conf_key *k, char ret[64])
{
	if (k->type == KEY_INT)
		(void)snprintf(ret, 64, "integer, %lld to %lld", (long long)k->min,
			       (long long)k->max);
	else if (k->type == KEY_MODE)
		(void)snprintf(ret, 64, "octal, 000 to 0%llo",
			       (unsigned long long)k->max);
	else if (k->type == KEY_BOOL || k->type == KEY_BOOL_OR_UNSET)
		(void)snprintf(ret, 64, "boolean");
	else if (k->type == KEY_PATH)
		(void)snprintf(ret, 64, "absolute path");
	else if (k->type == KEY_OBJECT)
		(void)snprintf(ret, 64, "object");
	else
		return NULL;
	return ret;
}

/* The node's own default, as text; NULL: none, or the row does not know it. */
static const char *default_of(const struct key_section *s, const struct conf_key *k, char ret[64])
{
	const char *member = (const char *)&settings_default + k->offset;

	if (k->by_default || s->in != IN_NODE_FILE || s->keys == node_root_key || !k->size)
		return k->by_default;
	if (k->type == KEY_INT)
		(void)snprintf(ret, 64, "%u", *(const unsigned int *)(const void *)member);
	else if (k->type == KEY_PATH || k->type == KEY_TEXT || k->type == KEY_FORM)
		return *(const char *const *)(const void *)member;
	else
		return NULL;
	return ret;
}

static void reference_of(const char *reference, const struct key_section *s,
			 const struct conf_key *k)
{
	char name[KEY_NAME_MAX], type[64], by_default[64];
	const char *want;
	struct entry entry;

	(void)key_full_name(s, k, name);
	/* what both kinds of sockets have is there once */
	if (!find_entry(reference, s->keys == socket_keys ? k->name : name, &entry)) {
		eq("no entry", name);
		return;
	}
	want = type_of(k, type);
	if (want)
		eq(entry.value, want);
	for (const char *const *choice = k->choices; choice && *choice; choice++)
		ok(!**choice || is_listed(entry.value, *choice));
	want = default_of(s, k, by_default);
	if (want)
		eq(entry.by_default, want);
}

/* The members of those are told where the object is. */
static bool has_rows(const struct key_section *s)
{
	return s->in <= IN_NETWORK && s->keys != trunk_keys && s->keys != ipam_keys &&
	       s->keys != dns_keys;
}

static void manual(void)
{
	auto_free char *page = NULL;
	const char *reference;
	FILE *f = fopen(MAN, "r");
	size_t len = 0;

	test("devinfo.conf(5), REFERENCE, has each key's type, range and default");
	ok(f && getdelim(&page, &len, '\0', f) > 0);
	reference = page ? strstr(page, ".Sh REFERENCE\n") : NULL;
	ok(reference != NULL);
	for (size_t i = 0; reference && i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (has_rows(&key_sections[i]))
				reference_of(reference, &key_sections[i], k);
	if (page) {
		who_may_say_what(page, ".Ss Keys of a network\n", true);
		who_may_say_what(page, ".Ss What else is read\n", false);
	}
	if (f)
		(void)fclose(f);
}

static void edits(void)
{
	static const struct {
		const char *a, *b;
		unsigned int edits;
	} pairs[] = {
		{ "", "", 0 }, { "vlan", "vlan", 0 }, { "VLAN", "vlan", 0 }, { "vlna", "vlan", 1 },
		{ "vln", "vlan", 1 }, { "vlaan", "vlan", 1 }, { "vlam", "vlan", 1 },
		{ "lvna", "vlan", 2 }, { "vl", "vlan", 2 }, { "vlanxx", "vlan", 2 },
		{ "nalv", "vlan", 3 }, { "v", "vlan", 3 }, { "", "vlan", 3 }, { "", "ab", 2 },
		{ "trsut", "trust", 1 }, { "turst", "trust", 1 }, { "rtsut", "trust", 2 },
		{ "ca", "abc", 3 }, { "resourcename", "resourceName", 0 },
	};
	char long_word[NEAREST_LEN + 2] = "";

	test("the edits between two words, either way");
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		ok(nearest_edits(pairs[i].a, pairs[i].b) == pairs[i].edits);
		ok(nearest_edits(pairs[i].b, pairs[i].a) == pairs[i].edits);
	}
	test("a word that is too long is near to none, itself among them");
	memset(long_word, 'a', NEAREST_LEN);
	ok(nearest_edits(long_word, long_word) == 0);
	ok(nearest_edits(long_word, long_word + 2) == 2);
	memset(long_word, 'a', NEAREST_LEN + 1);
	ok(nearest_edits(long_word, long_word) == NEAREST_EDITS + 1);
	ok(nearest_edits(long_word, long_word + 1) == NEAREST_EDITS + 1);
}

static void nearest(void)
{
	static const char *const words[] = { "mac", "mtu", "id", "vlan", "vlanQoS", "vlanProto",
					     "trunk", "trust" };
	static const char *const pairs[][2] = {
		{ "mca", "mac" }, { "mut", "mtu" }, { "ma", NULL }, { "ID", "id" }, { "ip", NULL },
		{ "xyz", NULL }, { "mic", "mac" }, { "vlna", "vlan" }, { "vlxx", NULL },
		{ "vlanqos", "vlanQoS" }, { "blank", NULL }, { "burst", NULL }, { "trusted", NULL },
		 { "vlanPro", "vlanProto" }, { "trsut", "trust" },
		{ "trunc", "trunk" }, { "trun", "trunk" }, { "", NULL }, { "vlanXyz", NULL },
	};
	char hint[NEAREST_HINT];

	test("the nearest word is the one with the fewest edits, which a short word has few of");
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const char *near = nearest_word(pairs[i][0], words, ARRAY_SIZE(words));

		eq(near ? near : "none", pairs[i][1] ? pairs[i][1] : "none");
	}
	nearest_hint("mca", words, ARRAY_SIZE(words), hint);
	eq(hint, ", did you mean mac?");
	nearest_hint("xyz", words, ARRAY_SIZE(words), hint);
	eq(hint, "");
	ok(!nearest_word("mac", words, 0));
}

/* All lines of a walk, each with its kind. */
struct walk {
	char text[4096];
	unsigned int left;		/* it ends behind so many */
	bool remove;
};

static bool take_line(const struct unknown_key *u, void *arg)
{
	static const char kinds[] = { 'i', 'r', 'n', 'p' };
	struct walk *w = arg;
	char text[256];

	unknown_text(u, text);
	(void)snprintf(w->text + strlen(w->text), sizeof(w->text) - strlen(w->text), "%c %s\n",
		       kinds[u->kind], text);
	if (w->remove)
		(void)json_object_del(u->object, u->key);
	return --w->left > 0;
}

static const char *walked(const char *conf, bool list, unsigned int max, bool remove)
{
	static struct walk w;
	struct walk again = { .left = 1 };
	const struct unknown_visitor v = { take_line, &w }, second = { take_line, &again };
	json_auto_t *doc = json_loads(conf, 0, NULL);

	w = (struct walk){ .left = max, .remove = remove };
	(list ? unknown_list_keys : unknown_keys)(doc, &v);
	if (remove) {			/* what was told is gone */
		(list ? unknown_list_keys : unknown_keys)(doc, &second);
		eq(again.text, "");
	}
	return w.text;
}

static void walk_unknown(void)
{
	static const struct {
		const char *conf, *want;
	} confs[] = {
		{ "{}", "" },
		{ "{\"vlna\":7}", "i vlna: unknown key, did you mean vlan?\n" },
		{ "{\"foo\":7,\"VLAN\":7}", "i foo: unknown key\n" },
		{ "{\"disableChek\":true}",
		  "i disableChek: unknown key, did you mean disableCheck?\n" },
		{ "{\"Name\":\"n\",\"cniversion\":\"1.0.0\",\"name\":\"n\"}",
		  "i cniversion: unknown key, did you mean cniVersion?\n" },
		/* others' */
		{ "{\"_vlna\":1,\"x-vlna\":1,\"X-vlna\":1,\"cni.dev/vlna\":1,\"//\":1,"
		  "\"$vlna\":1,\"\":1}", "" },
		{ "{\"ipMasq\":true,\"disableCheck\":true,\"Master\":\"p\",\"VFID\":1,"
		  "\"OrigVfState\":{},\"DPDKMode\":true}", "" },
		{ "{\"ipam\":{\"tpye\":\"x\"},\"delegate\":{\"vlna\":1},"
		  "\"delegates\":[{\"vlna\":1}],"
		  "\"runtimeConfig\":{\"foo\":1},\"args\":{\"cni\":{\"foo\":1}},"
		  "\"prevResult\":{\"dsn\":{}},\"host\":{\"vhots\":{}},"
		  "\"container\":{\"memfi\":{}},"
		  "\"switch\":{\"config\":{\"tpye\":1}}}", "" },
		/* ours */
		{ "{\"vdpa\":{\"drivr\":1,\"Driver\":1},\"vhostUser\":{\"mdoe\":1},"
		  "\"memif\":{\"foo\":1},\"switch\":{\"brigde\":1},"
		  "\"trunk\":[{\"id\":1},5,{\"minId\":1,\"manID\":1,\"foo\":1}]}",
		  "r vdpa.drivr: unknown key, did you mean driver?\n"
		  "r vhostUser.mdoe: unknown key, did you mean mode?\n"
		  "r memif.foo: unknown key\n"
		  "r switch.brigde: unknown key, did you mean bridge?\n"
		  "r trunk[2].manID: unknown key, did you mean minID?\n"
		  "r trunk[2].foo: unknown key\n" },
		{ "{\"vdpa\":5,\"vhostUser\":[],\"trunk\":{\"foo\":1},\"dns\":\"x\","
		  "\"capabilities\":[]}", "" },
		/* the node's */
		{ "{\"stateDir\":\"/x\",\"SOCKETDIR\":\"\","
		  "\"switch\":{\"db\":\"/x\",\"socketDir\":null}}",
		  "n stateDir: not in a network configuration, set this in the node's own file: "
		  "stateDir\n"
		  "n switch.db: not in a network configuration, set this in the node's own file: "
		  "ovsDb\n" },
		/* shared, and of one spelling */
		{ "{\"dns\":{\"nameserver\":[],\"search\":[],\"foo\":1},"
		  "\"capabilities\":{\"deviceid\":true,"
		  "\"CNIDeviceInfoFile\":true,\"portMappings\":true,\"foo\":true,"
		  "\"io.kubernetes.cri.pod-annotations\":true}}",
		  "i dns.nameserver: unknown key, did you mean nameservers?\n"
		  "i dns.foo: unknown key\n"
		  "i capabilities.deviceid: unknown key, did you mean deviceID?\n"
		  "i capabilities.foo: unknown key\n" },
		{ "{\"runtimeConfig\":{\"mca\":1},\"args\":{\"cni\":{\"mut\":1}}}",
		  "i runtimeConfig.mca: unknown key, did you mean mac?\n"
		  "i args.cni.mut: unknown key, did you mean mtu?\n" },
	};

	test("each unknown key is told with its place, and nothing of what is another's");
	for (size_t i = 0; i < ARRAY_SIZE(confs); i++) {
		eq(walked(confs[i].conf, false, 100, false), confs[i].want);
		eq(walked(confs[i].conf, false, 100, true), confs[i].want);
	}
	test("the walk ends when it is told to, in whichever object it is");
	eq(walked("{\"a\":1,\"b\":1}", false, 1, false), "i a: unknown key\n");
	eq(walked("{\"a\":1,\"vdpa\":{\"a\":1,\"b\":1}}", false, 2, false),
	   "i a: unknown key\nr vdpa.a: unknown key\n");
	eq(walked("{\"trunk\":[{\"a\":1},{\"b\":1}],\"dns\":{\"c\":1}}", false, 1, false),
	   "r trunk[0].a: unknown key\n");
	eq(walked("{\"dns\":{\"c\":1},\"capabilities\":{\"d\":1}}", false, 1, false),
	   "i dns.c: unknown key\n");
	test("around a list of plugins CNI's keys are known, and ours are out of place");
	eq(walked("{\"cniVersion\":\"1.1.0\",\"cniVersions\":[],\"name\":\"n\",\"disableGC\":true,"
		  "\"plugins\":[],\"vlan\":7,\"disableCG\":1,\"foo\":1,\"_vlan\":1}",
		  true, 100, false),
	   "p vlan: without effect here, set it in an object of plugins\n"
	   "i disableCG: unknown key, did you mean disableGC?\n"
	   "i foo: unknown key\n");
	eq(walked("{\"a\":1,\"b\":1}", true, 1, false), "i a: unknown key\n");
}

static void refused_members(void)
{
	struct err e;

	test("an unknown member of an object of ours is refused by ADD, with the nearest one");
	ok(read_network("{\"name\":\"n\",\"cniVersion\":\"1.0.0\","
			"\"vdpa\":{\"drvier\":\"vhost\"}}", &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "vdpa.drvier: unknown key, did you mean driver?");
	ok(read_network("{\"name\":\"n\",\"cniVersion\":\"1.0.0\",\"trunk\":[{\"id\":7},"
			"{\"id\":8,\"maxId\":9,\"minID\":7,\"mnID\":7}]}", &e) == -1 &&
	   e.code == ERR_NETCONF);
	eq(e.msg, "trunk[1].mnID: unknown key, did you mean minID?");
	ok(read_network("{\"name\":\"n\",\"cniVersion\":\"1.0.0\","
			"\"memif\":{\"rloe\":\"slave\"}}", &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "memif.rloe: unknown key, did you mean role?");
}

static const struct key_object *object_of(const char *path)
{
	for (size_t i = 0; i < key_objects_n; i++)
		if (strcmp(key_objects[i].path, path) == 0)
			return &key_objects[i];
	return NULL;
}

/* Else its keys are found in one case of letters, and a typing error among them by nobody. */
static void objects(void)
{
	json_auto_t *doc = json_loads("{\"trunk\":[{},7],\"vdpa\":{}}", 0, NULL);
	char name[KEY_NAME_MAX];

	test("each object that has keys is in the table of objects");
	for (size_t i = 0; i < key_sections_n; i++)
		if (key_sections[i].in == IN_NETWORK && *key_sections[i].path)
			ok(object_of(key_sections[i].path));
	test("an object is found by its path, and each element of a list");
	ok(keys_object(doc, "", 0, name) == doc && !keys_object(doc, "", 1, name));
	ok(keys_object(doc, "vdpa", 0, name) == json_object_get(doc, "vdpa"));
	eq(name, "vdpa");
	ok(!keys_object(doc, "vdpa", 1, name) && !keys_object(doc, "memif", 0, name));
	ok(json_integer_value(keys_object(doc, "trunk[]", 1, name)) == 7);
	eq(name, "trunk[1]");
	ok(!keys_object(doc, "trunk[]", 2, name) && !keys_object(doc, "vdpa[]", 0, name));
}

int main(int argc, char **argv)
{
	char row[256];

	/* for who writes the manual */
	for (size_t i = 0; argc > 1 && strcmp(argv[1], "rows") == 0 && i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++) {
			row_of(&key_sections[i], k, row);
			(void)fputs(row, stdout);
		}
	if (argc > 1)
		return 0;
	walk_network();
	walk_node_keys();
	walk_node_file();
	shared_with_pod();
	walk_call();
	manual();
	edits();
	nearest();
	walk_unknown();
	refused_members();
	objects();
	return tap_end();
}
