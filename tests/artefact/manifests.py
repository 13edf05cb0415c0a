#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""manifests.py - are the manifests what the API server and kustomize take?  Neither is asked.

	manifests.py check VERSION FILE|DIRECTORY...	a line for each mistake; of a directory, in what its
							kustomization.yaml makes
	manifests.py render DIRECTORY			what it makes, an object of JSON a line

Each member is looked up in kubernetes.fields.  Of kustomize there is what the manifests use: resources,
components, images, patches of RFC 6902, and the names of generated ConfigMaps.  What an object says of another part of itself has to be true:
volumes and their mounts, labels and their selector.
"""
import copy
import json
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
CAPABILITIES = "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL NET_ADMIN NET_RAW SYS_ADMIN SYS_CHROOT SYS_PTRACE".split()


class Loader(yaml.SafeLoader):
    """A key that is there twice is a mistake; so are anchors, which not every reader takes."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError(f"{self.peek_event().start_mark.line + 1}: an alias")
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = sorted({k for k in keys if keys.count(k) > 1})
        if twice:
            raise yaml.YAMLError(f"{node.start_mark.line + 1}: {twice[0]} is there twice")
        return super().construct_mapping(node, deep)


def read(path):
    """The objects of a file."""
    with open(path, encoding="utf-8") as file:
        return [doc for doc in yaml.load_all(file, Loader) if doc is not None]


# -- members --

def read_fields():
    """Of each type its members: name -> (required, type)."""
    types = {}
    for line in open(os.path.join(HERE, "kubernetes.fields"), encoding="utf-8"):
        if ": " not in line or line.startswith("#"):
            continue
        name, members = line.split(": ", 1)
        types[name] = {}
        for member in members.split():
            key, _, kind = member.partition(":")
            types[name][key.rstrip("!")] = (key.endswith("!"), kind or "text")
    return types


TYPES = read_fields()
IS_TEXT = {
    "text": r"(?s).*", "name": r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", "cel": r"(?s).+",
    "quantity": r"[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi)?",
}


def check_one(kind, value, where, say):
    if kind == "?":
        say(f"{where}: kubernetes.fields does not have its members")
    elif kind in IS_TEXT:
        if not isinstance(value, str) or not re.fullmatch(IS_TEXT[kind], value):
            say(f"{where}: {value!r} is no {kind}")
    elif kind in ("int", "bool"):
        if type(value).__name__ != kind:
            say(f"{where}: {value!r} is no {kind}")
    elif kind == "count":
        if not re.fullmatch(r"[1-9][0-9]*%?", str(value)):
            say(f"{where}: {value!r} is no count")
    elif kind in ("map", "quantities"):
        if not isinstance(value, dict):
            return say(f"{where}: is no map")
        for key, text in value.items():
            check_one("quantity" if kind == "quantities" else "text", text, f"{where}.{key}", say)
    elif "|" in kind:
        if value not in kind.split("|"):
            say(f"{where}: {value!r} is none of {kind}")
    else:
        check_object(kind, value, where, say)


def check_object(kind, value, where, say):
    members = TYPES[kind]
    if not isinstance(value, dict):
        return say(f"{where}: is no {kind}")
    for key, one in value.items():
        if key not in members:
            say(f"{where}.{key}: {kind} has no such member")
        elif members[key][1].endswith("[]"):
            if not isinstance(one, list) or not one:
                say(f"{where}.{key}: is no list, or an empty one")
                continue
            for i, entry in enumerate(one):
                check_one(members[key][1][:-2], entry, f"{where}.{key}[{i}]", say)
        else:
            check_one(members[key][1], one, f"{where}.{key}", say)
    for key, (required, _) in members.items():
        if required and key not in value:
            say(f"{where}: lacks {key}")


# -- what members say of each other --

def check_container(container, volumes, where, version, say):
    context = container.get("securityContext", {})
    if context.get("privileged") is not False or context.get("allowPrivilegeEscalation") is not False or \
            context.get("readOnlyRootFilesystem") is not True:
        say(f"{where}: may do more than it must")
    if context.get("capabilities", {}).get("drop") != ["ALL"] or \
            set(context["capabilities"].get("add", [])) - set(CAPABILITIES):
        say(f"{where}: its capabilities")
    if context.get("runAsUser", 0) == 0 and context.get("runAsNonRoot"):
        say(f"{where}: is root and is not to be")
    resources = container.get("resources", {})
    for kind, names in (("requests", ("cpu", "memory")), ("limits", ("memory",))):
        for name in names:
            if name not in resources.get(kind, {}):
                say(f"{where}: lacks resources.{kind}.{name}")
    where_from, _, name = container.get("image", "").rpartition("/")
    if name not in (f"devinfo-cni:{version}", f"devinfo-tools:{version}", f"devinfo-daemon:{version}", f"devinfo-publish:{version}",
                    "kubectl") or (name == "kubectl") == bool(where_from):
        say(f"{where}: no image of ours: {container.get('image')}")
    paths = [mount.get("mountPath") for mount in container.get("volumeMounts", [])]
    if len(set(paths)) != len(paths) or not all(str(path).startswith("/") for path in paths):
        say(f"{where}: its mount paths")
    for mount in container.get("volumeMounts", []):
        if mount.get("name") not in volumes:
            say(f"{where}: there is no volume {mount.get('name')}")


def check_daemonset(doc, where, version, say):
    spec = doc["spec"]
    labels = spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    volumes = [volume["name"] for volume in pod.get("volumes", [])]
    containers = pod.get("initContainers", []) + pod["containers"]
    names = [container["name"] for container in containers]
    used = [mount["name"] for container in containers for mount in container.get("volumeMounts", [])]
    if not set(spec["selector"]["matchLabels"].items()) <= set(labels.items()):
        say(f"{where}: its selector does not select its pods")
    for kind, of in (("containers", names), ("volumes", volumes)):
        if len(set(of)) != len(of):
            say(f"{where}: two {kind} have one name")
    for name in set(volumes) - set(used):
        say(f"{where}: volume {name} is mounted nowhere")
    for container in containers:
        check_container(container, volumes, f"{where} {container['name']}", version, say)
    if {"operator": "Exists"} not in pod["tolerations"] or pod["nodeSelector"] != {"kubernetes.io/os": "linux"}:
        say(f"{where}: does not run on each node")
    for volume in pod.get("volumes", []):
        if len(volume) != 2:
            say(f"{where}: volume {volume['name']} is of no type, or of two")


def check(doc, where, version, say):
    """One object."""
    kind = f"{doc.get('apiVersion')} {doc.get('kind')}" if isinstance(doc, dict) else "-"
    before = say.count
    if kind not in TYPES:
        return say(f"{where}: no kind that kubernetes.fields has: {kind}")
    where = f"{where}: {doc['kind']} {doc.get('metadata', {}).get('name', '')}"
    check_object(kind, doc, where, say)
    if say.count == before and doc["kind"] == "DaemonSet":
        check_daemonset(doc, where, version, say)
    return None


# -- kustomize --

def find(doc, pointer):
    """Where an RFC 6901 pointer leads: the container and the key in it."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    for key in keys[:-1]:
        doc = doc[int(key)] if isinstance(doc, list) else doc[key]
    last = keys[-1]
    return doc, last if isinstance(doc, dict) else len(doc) if last == "-" else int(last)


def patch(doc, operations):
    for op in operations:
        into, key = find(doc, op["path"])
        if op["op"] == "move":
            out, old = find(doc, op["from"])
            value = out[old]
            del out[old]
        elif op["op"] in ("remove", "replace"):
            value = into[key]	# it has to be there
            del into[key]
        if op["op"] in ("add", "replace"):
            value = copy.deepcopy(op["value"])
        if op["op"] == "remove":
            continue
        if isinstance(into, list):
            if key > len(into):
                raise IndexError(op["path"])
            into.insert(key, value)
        else:
            into[key] = value


def add_resources(folder, conf, docs):
    for name in conf.get("resources", []):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and name.startswith(".."):
            raise ValueError(f"{folder}: kustomize takes no file from above: {name}")
        docs += render(path) if os.path.isdir(path) else read(path)
    for one in conf.get("configMapGenerator", []):
        data = {os.path.basename(name): open(os.path.join(folder, name), encoding="utf-8").read()
                for name in one["files"]}
        docs.append({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
                     "metadata": {"name": one["name"], "namespace": one["namespace"]}})


ORIGINAL = {}	# by id() of an object: the name that it was read with


def is_meant(doc, target):
    """A name is today's, or the one from before a patch of it; without one all of that kind are meant."""
    names = (doc["metadata"]["name"], ORIGINAL.get(id(doc)))
    return doc["kind"] == target["kind"] and target.get("name", names[0]) in names


def set_image(doc, image):
    """The last of "name:tag" stays unless it is said."""
    pod = doc.get("spec", {}).get("template", {}).get("spec", {})
    for container in pod.get("initContainers", []) + pod.get("containers", []):
        name, _, tag = container["image"].partition(":")
        if name == image["name"]:
            tag = image.get("newTag", tag)
            container["image"] = image.get("newName", name) + (":" + tag if tag else "")


def transform(folder, docs):
    """What a kustomization or a component adds, and what it changes of that and of what was there."""
    (conf,) = read(os.path.join(folder, "kustomization.yaml"))
    add_resources(folder, conf, docs)
    known = [(doc["kind"], doc["metadata"].get("namespace"), doc["metadata"]["name"]) for doc in docs]
    for one in known:
        if known.count(one) > 1:
            raise ValueError(f"{folder}: kustomize takes no object twice: {one[0]} {one[2]}")
    for doc in docs:
        ORIGINAL.setdefault(id(doc), doc["metadata"]["name"])
    for name in conf.get("components", []):
        transform(os.path.join(folder, name), docs)
    patches = [(one, [doc for doc in docs if is_meant(doc, one["target"])]) for one in conf.get("patches", [])]
    # kustomize passes over a patch of nothing; a component may have one for each of several objects
    for one, meant in patches:
        if not meant and conf["kind"] != "Component":
            raise ValueError(f"{folder}: a patch is of nothing: {one['target']}")
    for one, meant in patches:
        for doc in meant:
            patch(doc, yaml.load(one["patch"], Loader))
    for doc in docs:
        if "namespace" in conf:
            doc["metadata"]["namespace"] = conf["namespace"]
        for image in conf.get("images", []):
            set_image(doc, image)


def render(folder):
    """What kustomize build prints, but for the hash in the names of ConfigMaps."""
    docs = []
    transform(folder, docs)
    return docs


class Say:
    """Prints mistakes, and counts them."""
    count = 0

    def __call__(self, text):
        print(text)
        self.count += 1


def main(argv):
    say = Say()
    if argv[1] == "render":
        for doc in render(argv[2]):
            print(json.dumps(doc))
        return 0
    for path in argv[3:]:
        try:
            docs = read(path) if os.path.isfile(path) else render(path)
        except (yaml.YAMLError, ValueError, KeyError, IndexError, TypeError, OSError) as e:
            say(f"{path}: {type(e).__name__} {e}")
            continue
        for doc in docs:
            check(doc, path, argv[2], say)
    return 1 if say.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
