#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""admission.py - what ValidatingAdmissionPolicies say of requests, as the API server decides

	admission.py ANSWER POLICIES <REQUESTS

Policies and requests are an object of JSON a line, a request as admission sees it: "resource" is GROUP/VERSION/RESOURCE, and
"operation", "userInfo", "object" and "oldObject".  For each request a line: "allowed", "of no policy", or why it is denied.

Expressions are judged by the engine that judges DeviceClasses, which the recordings of an API server hold to what that one
decides: ANSWER is tests/upstream/answer.c.  What an expression sees is bound by a macro, [VALUE].all(NAME, EXPRESSION).

All requests of admission.bats were put to the admission plugin of Kubernetes 1.36.4, too (k8s.io/apiserver, 2026-11-29): it
allows and denies the same, with the same messages, also a pod of 1.2 MB within its limits of cost.
"""
import json
import re
import subprocess
import sys


def literal(value):
    """Of any type, wherever it is: an object is no map of one type."""
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{json.dumps(k)}: {literal(v)}" for k, v in value.items()) + "}"
    elif isinstance(value, list):
        text = "[" + ", ".join(map(literal, value)) + "]"
    else:
        text = json.dumps(value)
    return f"dyn({text})"


class Engine:
    def __init__(self, answer):
        self.child = subprocess.Popen([answer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, expression, names):
        """names: [(NAME, its value as an expression)], the outermost first."""
        for name, value in reversed(names):
            expression = f"[{value}].all({name}, {expression})"
        self.child.stdin.write(json.dumps({"kind": "cel", "expression": expression}) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())


def is_about(policy, request):
    group, version, resource = request["resource"].split("/", 2)
    return any(
        group in rule["apiGroups"] and ("*" in rule["apiVersions"] or version in rule["apiVersions"]) and
        request["operation"] in rule["operations"] and resource in rule["resources"]
        for rule in policy["spec"]["matchConstraints"]["resourceRules"])


def judge(engine, policy, request):
    """None: it is none of this policy's; "" is yes; else why not."""
    spec = policy["spec"]
    names = [(name, literal(request.get(name))) for name in ("object", "oldObject")]
    names.append(("request", literal({k: request[k] for k in ("operation", "userInfo")})))
    if not is_about(policy, request):
        return None
    for condition in spec["matchConditions"]:
        said = engine.ask(condition["expression"], names)
        if said is False:
            return None
        if said is not True:
            return f"a condition fails: {said}"
    flat = lambda text: re.sub(r"\bvariables\.", "variables_", text)
    for variable in spec["variables"]:
        names.append((f"variables_{variable['name']}", f"dyn({flat(variable['expression'])})"))
    for validation in spec["validations"]:
        said = engine.ask(flat(validation["expression"]), names)
        if said is not True:
            return validation["message"] if said is False else f"it fails: {said['refused']}"
    return ""


def main(argv):
    engine = Engine(argv[1])
    with open(argv[2], encoding="utf-8") as file:
        policies = [json.loads(line) for line in file]
    for line in sys.stdin:
        said = [judge(engine, policy, json.loads(line)) for policy in policies]
        asked = [one for one in said if one is not None]
        print("; ".join(filter(None, asked)) or ("allowed" if asked else "of no policy"))


if __name__ == "__main__":
    main(sys.argv)
