/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help.c - what `help` says about a command and its options, beside the tables of main.c
 *
 * install/completion/ reads it, too: it goes by the titles, by two blanks before the name of a
 * command or option, and by what stands for a value: words with '|' between them, FILE, DIR.
 */
#include "manager/ctl/help.h"

#include "base/mem.h"

#include <string.h>

enum { OPTION_WIDTH = 28 };		/* of an option and its value */

static const struct command_help {
	const char *command, *text, *examples;	/* lines */
} command_helps[] = {
	{ "scan",
	  "Print the devices of the node that a pod can be given: PCI functions of the network\n"
	  "class, those bound to a driver for user space, and what is on them.",
	  "devinfoctl scan\n"
	  "devinfoctl scan --why --overrides patch.yaml\n"
	  "devinfoctl scan --match 'driver In vfio-pci; is_vf IsTrue' --output=wide\n"
	  "devinfoctl scan --pool config.json --json" },
	{ "list",
	  "Print the attachments of the journal: which device, whose it is, and whether its\n"
	  "container lives.  Exit status 1 when a record is damaged or cannot be read.",
	  "devinfoctl list\n"
	  "devinfoctl list --output=wide" },
	{ "show",
	  "Print the device-info of one device as the plugin would write it, one line of JSON;\n"
	  "with --why what the cluster sees of it, a row for each value.\n"
	  "DEVICE is a PCI address, an auxiliary device, a vDPA device, or a network device of\n"
	  "one of these.",
	  "devinfoctl show 0000:01:10.0\n"
	  "devinfoctl show --why 0000:01:10.0\n"
	  "devinfoctl show --resource intel.com/netdev 0000:01:10.0" },
	{ "status",
	  "Print what the network-status of a pod should have of its attachments, and their\n"
	  "state.  POD is its namespace and name, its UID, or a container's id.",
	  "devinfoctl status default/p1\n"
	  "devinfoctl status default/p1 --annotation" },
	{ "explain",
	  "Follow the devices of a pod all the way: what was asked for, what kubelet gave, which\n"
	  "device was chosen, its record, file, interface and status; what is wrong, and what to\n"
	  "do.  Exit status 1 when something is wrong.",
	  "devinfoctl explain default/p1" },
	{ "doctor",
	  "Look for what is wrong on the node: kernel, directories, configurations, kubelet, and\n"
	  "what dead containers have left; each with what to do about it.  Exit status 1 when\n"
	  "there is a warning or an error.",
	  "devinfoctl doctor\n"
	  "devinfoctl doctor --json" },
	{ "repair",
	  "Carry out what doctor advises, where that is safe, by the plugin's own release.  Exit\n"
	  "status 1 when something is left.  To be run as root on the node itself.",
	  "devinfoctl repair --dry-run" },
	{ "gc",
	  "Release what attachments of dead containers have left, of all networks.  To be run as\n"
	  "root on the node itself, not in a container.",
	  "devinfoctl gc --dry-run\n"
	  "devinfoctl gc --json" },
	{ "drift",
	  "Compare each attachment of the journal with the kernel, as CHECK does.  Exit status 1\n"
	  "when one differs from what its ADD has made, or that cannot be told.",
	  "devinfoctl drift" },
	{ "watch",
	  "Print the devices that devinfod offers to kubelet, a line each, and then a line for\n"
	  "each change of health or of who has one, until a signal.  Exit status 1 when devinfod\n"
	  "does not run, or ends.",
	  "devinfoctl watch\n"
	  "devinfoctl watch --json" },
	{ "events",
	  "Print the last changes of the devices that devinfod offers to kubelet: it remembers\n"
	  "256, as long as it runs.  Exit status 1 when it does not.",
	  "devinfoctl events\n"
	  "devinfoctl events --output=wide" },
	{ "record-node",
	  "Write all that the other commands read of this node as a tar archive: for a bug\n"
	  "report, or to ask it elsewhere by --root.  Values of known keys alone are in it; MAC\n"
	  "addresses and GUIDs are replaced, equal ones by equal ones.  FILE is not there yet,\n"
	  "or '-' for standard output.",
	  "devinfoctl record-node node.tar" },
	{ "resolve",
	  "Ask kubelet, as the plugin would, which devices it gave to a pod, and print which of\n"
	  "them the next attachment would get, and why.  Nothing is written or locked.",
	  "devinfoctl resolve default/p1 --resource intel.com/netdev\n"
	  "devinfoctl resolve default/p1 --claim nic --request vf" },
	{ "publish",
	  "Write the device-info files that a device plugin would, in dp/, for each network\n"
	  "device of the pools in a configuration of sriov-network-device-plugin, or of the\n"
	  "RESOURCEs.  A file that says the same, or less, stays.  One that says something else\n"
	  "stays, too, and is told, with exit status 1: it may be another's.",
	  "devinfoctl publish --pool config.json --dry-run\n"
	  "devinfoctl publish --pool config.json intel.com/vf" },
	{ "withdraw",
	  "Remove the files that publish would write, as far as they are about their devices.\n"
	  "Publish after that writes them anew.",
	  "devinfoctl withdraw --pool config.json --dry-run" },
	{ "export",
	  "Print what the cluster is told of the node:\n"
	  "  nfd [DIR]        a feature file of Node Feature Discovery, or write it in DIR\n"
	  "  nodefeature      the features as an object for kubectl apply\n"
	  "  resourceslice    the devices for Dynamic Resource Allocation\n"
	  "  deviceclass      a class for all of them, or one for each pool\n"
	  "  claim-status NAMESPACE/NAME\n"
	  "                   what the status of a claim should say of its devices here",
	  "devinfoctl export nfd\n"
	  "devinfoctl export nfd --expires 600 /etc/kubernetes/node-feature-discovery/features.d\n"
	  "devinfoctl export nodefeature --node-name worker-1\n"
	  "devinfoctl export resourceslice --pool config.json --node-name worker-1\n"
	  "devinfoctl export deviceclass --pool config.json\n"
	  "devinfoctl export claim-status default/nic" },
	{ "nfd",
	  "Check files for Node Feature Discovery, and evaluate its rules:\n"
	  "  lint FILE...     find mistakes in feature files, rules and NodeFeatures\n"
	  "  eval FILE...     print what NodeFeatureRules and custom rules would give this node\n"
	  "'-' is standard input.  Exit status 1 when something is wrong.",
	  "devinfoctl nfd lint rules.yaml\n"
	  "devinfoctl nfd eval rules.yaml --why\n"
	  "devinfoctl nfd eval rules.yaml --features node-1.yaml" },
	{ "dra",
	  "Ask about objects of resource.k8s.io what the cluster would say:\n"
	  "  lint FILE...     check them as the API server would\n"
	  "  select FILE...   print which devices the ResourceClaims would get on this node, and\n"
	  "                   why not others; the files have the DeviceClasses, too\n"
	  "'-' is standard input.  Exit status 1 when an object would be refused, or a claim\n"
	  "cannot be satisfied.",
	  "devinfoctl dra lint claim.yaml\n"
	  "devinfoctl dra select --node-name worker-1 claim.yaml" },
	{ "validate",
	  "Check device-info files against the specification, a line each.  '-' is standard\n"
	  "input.  Exit status 1 when one is wrong.",
	  "devinfoctl validate intel.com-netdev-0000:01:10.0-device.json\n"
	  "devinfoctl show eth4 | devinfoctl validate -" },
	{ "validate-conf",
	  "Check configurations of the plugin: a list of plugins, one of them, the node's own\n"
	  "file, or NetworkAttachmentDefinitions, in JSON or YAML.  '-' is standard input.  No\n"
	  "node is looked at.  Exit status 1 when an ADD would be refused.",
	  "devinfoctl validate-conf net.conflist\n"
	  "devinfoctl validate-conf --json net.conflist" },
	{ "networks",
	  "Print the networks of a directory: NetworkAttachmentDefinitions in JSON or YAML, and\n"
	  "configurations of CNI; with --pod-file those that a pod asks for by its annotations.\n"
	  "Without a directory it is networksDir of the node's file, read as the plugin reads it;\n"
	  "else no node is looked at.  Exit status 1 when one is wrong.",
	  "devinfoctl networks\n"
	  "devinfoctl networks net.d\n"
	  "devinfoctl networks net.d --pod-file pod.yaml" },
	{ "args",
	  "Print the arguments with which DPDK or QEMU uses the device of a device-info file, or\n"
	  "of a network-status list, one a line.",
	  "devinfoctl args dpdk net1.json --queues 2\n"
	  "devinfoctl args qemu net1.json --memory 4G" },
};

/* Those with a command are for it alone, and before the one for all. */
static const struct option_help {
	const char *option, *command, *value, *text;
} option_helps[] = {
	{ "resource", "show", "NAME", "read the file of this resource's device plugin" },
	{ "resource", NULL, "NAME", "ask for devices of this resource" },
	{ "pod", NULL, "NAMESPACE/NAME", "the pod" },
	{ "uid", NULL, "UID", "of the pod: kubelet's checkpoint goes by it" },
	{ "claim", NULL, "NAME", "ask for devices of this claim" },
	{ "request", NULL, "NAME", "ask for devices of this request of a claim" },
	{ "device", NULL, "ID", "ask for this device" },
	{ "network", NULL, "NAME", "for this attachment instead of a new one, with --interface" },
	{ "interface", "args", "NAME", "the one of a network-status list" },
	{ "interface", NULL, "NAME", "for this attachment instead of a new one, with --network" },
	{ "side", NULL, "app|peer",
	  "for the application, as without it, or for the other end of its\nsocket" },
	{ "path", NULL, "PATH", "the socket's, in place of the file's" },
	{ "mac", NULL, "ADDRESS", "of the application's device" },
	{ "id", NULL, "NUMBER", "of the memif" },
	{ "secret-file", NULL, "FILE", "with the memif's secret" },
	{ "index", NULL, "NUMBER", "tells several devices apart" },
	{ "queues", NULL, "NUMBER", "pairs of queues of vhost-user and vDPA devices" },
	{ "memory", NULL, "SIZE", "of QEMU's guest, as 4G" },
	{ "reconnect", NULL, "TIME", "how soon QEMU connects anew: 1 (s) or 1000ms" },
	{ "dry-run", NULL, "", "print what would be done, and change nothing" },
	{ "list", NULL, "", "print the checks, and look at nothing" },
	{ "json", "gc", "", "as one JSON document, when all is released" },
	{ "json", "watch", "", "an object on each line" },
	{ "json", "validate-conf", "", "a list of objects, one for each file or definition" },
	{ "json", NULL, "", "the same as --output=json" },
	{ "output", NULL, "table|wide|json|name",
	  "or -o: for people, with all columns, for programs, or names" },
	{ "color", NULL, "auto|always|never", "auto: on a terminal, unless NO_COLOR is set" },
	{ "match", NULL, "EXPRESSION",
	  "only devices that meet it, as 'vendor In 15b3; is_vf IsTrue'" },
	{ "pool", NULL, "FILE",
	  "with pools of devices: sriov-network-device-plugin's config.json" },
	{ "timeout", NULL, "MS", "how long kubelet is waited for" },
	{ "why", "scan", "",
	  "what the cluster sees of the devices, and where each value is from" },
	{ "why", "show", "", "what the cluster sees of it, and where each value is from" },
	{ "why", NULL, "", "print also why: each term with its value" },
	{ "raw", NULL, "", "of nfd and nodefeature: features for rules, no labels" },
	{ "remove", NULL, "", "of nfd: remove the feature file from DIR" },
	{ "expires", NULL, "SECONDS", "of nfd: when the feature file expires" },
	{ "api", NULL, "VERSION", "of resource.k8s.io: v1, v1beta2, v1beta1" },
	{ "kubernetes", "dra", "VERSION",
	  "whose API server or scheduler is meant, as 1.36 or v1.36.2" },
	{ "kubernetes", NULL, "VERSION", "of the cluster, as 1.34 or v1.36.2" },
	{ "driver", NULL, "NAME", "the driver of ResourceSlices and DeviceClasses" },
	{ "node-name", "nfd", "NAME", "the node's name; whose NodeFeatures count, of several" },
	{ "node-name", "scan", "NAME", "with --why: the node's name in the cluster" },
	{ "node-name", "show", "NAME", "with --why: the node's name in the cluster" },
	{ "node-name", NULL, "NAME", "the node's name in the cluster" },
	{ "node-uid", NULL, "UID", "of the Node object, which owns the ResourceSlices then" },
	{ "slices", NULL, "FILE", "ResourceSlices in place of this node's own" },
	{ "features", NULL, "FILE", "NodeFeatures in place of this node's own" },
	{ "overrides", "scan", "PATH", "with --why: more overrides, a file, a directory or '-'" },
	{ "overrides", "show", "PATH", "with --why: more overrides, a file, a directory or '-'" },
	{ "overrides", NULL, "PATH", "more overrides: a file, a directory or '-'" },
	{ "annotation", NULL, "", "the value of k8s.v1.cni.cncf.io/network-status, as it is" },
	{ "pod-file", NULL, "FILE", "a Pod: which networks it asks for; '-' is standard input" },
	{ "root", NULL, "DIR", "a recorded node instead of this machine" },
	{ "devinfo-dir", NULL, "DIR", "where dp/ and cni/ lie, below the root" },
	{ "state-dir", NULL, "DIR", "where the journal lies, below the root" },
};

/* Each line behind so many blanks; of the first they are there already. */
static void put_lines(FILE *to, const char *text, int indent, const char *before)
{
	for (const char *end; ; text = end + 1) {
		end = strchrnul(text, '\n');
		(void)fprintf(to, "%s%.*s\n", before, (int)(end - text), text);
		if (!*end)
			return;
		(void)fprintf(to, "%*s", indent, "");
	}
}

static const struct command_help *find_text(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(command_helps); i++)
		if (strcmp(command_helps[i].command, command) == 0)
			return &command_helps[i];
	return NULL;
}

void ctl_help_put_command(FILE *to, const char *command)
{
	const struct command_help *h = find_text(command);

	if (h)
		put_lines(to, h->text, 0, "");
}

void ctl_help_put_examples(FILE *to, const char *command)
{
	const struct command_help *h = find_text(command);

	if (!h)
		return;
	(void)fputs("\nexamples:\n", to);
	put_lines(to, h->examples, 0, "  $ ");
}

void ctl_help_put_option(FILE *to, const char *option, const char *command)
{
	const struct option_help *h = option_helps, *end = h + ARRAY_SIZE(option_helps);
	int used;

	while (h < end && (strcmp(h->option, option) != 0 ||
			   (h->command && strcmp(h->command, command) != 0)))
		h++;
	used = fprintf(to, "  --%s%s%s", option, h < end && *h->value ? " " : "",
		       h < end ? h->value : "");
	(void)fprintf(to, "%*s", OPTION_WIDTH - used, "");
	put_lines(to, h < end ? h->text : "", OPTION_WIDTH, "");
}
