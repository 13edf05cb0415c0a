#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kubelet.py - kubelet's PodResources API by a real gRPC server, for tests

    kubelet.py --socket PATH --state FILE [--mode MODE] [--first N] [--calls LOG]

FILE holds {"pod_resources": [...]}, the JSON form of ListPodResourcesResponse, perhaps with
"devices": [...] of AllocatableResourcesResponse beside it, and is read again at every call.  A pod with a further member "terminated": true is one that kubelets before 1.34
still list.  "ready" is printed once calls are accepted; SIGTERM ends it.  LOG gets a line for each
call as it arrives, "v1 Get", whether the method is offered or not.

What no gRPC server does is in hostile.py.  kubelet-js/ is the same by another implementation.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import signal
import sys
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

# Messages of k8s.io/kubelet/pkg/apis/podresources/v1: name, number, type, repeated ("*").
V1 = {
    "GetPodResourcesRequest": ["pod_name 1 string", "pod_namespace 2 string"],
    "GetPodResourcesResponse": ["pod_resources 1 PodResources"],
    "ListPodResourcesRequest": [],
    "ListPodResourcesResponse": ["pod_resources 1 PodResources *"],
    "AllocatableResourcesResponse": ["devices 1 ContainerDevices *"],
    "PodResources": ["name 1 string", "namespace 2 string", "containers 3 ContainerResources *"],
    "ContainerResources": ["name 1 string", "devices 2 ContainerDevices *", "cpu_ids 3 int64 *",
                           "memory 4 ContainerMemory *", "dynamic_resources 5 DynamicResource *"],
    "ContainerDevices": ["resource_name 1 string", "device_ids 2 string *",
                         "topology 3 TopologyInfo"],
    "ContainerMemory": ["memory_type 1 string", "size 2 uint64", "topology 3 TopologyInfo"],
    "TopologyInfo": ["nodes 1 NUMANode *"],
    "NUMANode": ["ID 1 int64"],
    "DynamicResource": ["claim_name 2 string", "claim_namespace 3 string",
                        "claim_resources 4 ClaimResource *"],
    "ClaimResource": ["cdi_devices 1 CDIDevice *", "driver_name 2 string", "pool_name 3 string",
                      "device_name 4 string", "share_id 5 string"],
    "CDIDevice": ["name 1 string"],
}
SCALARS = {"string": 9, "int64": 3, "uint64": 4}


def message_classes(package, messages):
    """Their classes, without protoc."""
    proto = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package,
                                               syntax="proto3")
    for name, fields in messages.items():
        message = proto.message_type.add(name=name)
        for text in fields:
            key, number, kind, *repeated = text.split()
            field = message.field.add(name=key, number=int(number), label=3 if repeated else 1,
                                      type=SCALARS.get(kind, 11))
            if kind not in SCALARS:
                field.type_name = f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(proto)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName(f"{package}.{name}"))
            for name in messages}


V1_TYPES = message_classes("v1", V1)


class Bucket:
    """kubelet's rate limiter: a bucket of tokens that is refilled steadily, nobody waits."""

    def __init__(self, per_second, burst):
        self.per_second, self.burst = per_second, burst
        self.tokens, self.at = burst, time.monotonic()
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            now = time.monotonic()
            self.tokens = min(self.burst, self.tokens + (now - self.at) * self.per_second)
            self.at = now
            if self.tokens < 1:
                return False
            self.tokens -= 1
            return True


def crowd(pods):
    """The encoded List of so many pods with 2 containers of 3 devices each, 325 bytes a pod."""
    one = V1_TYPES["ListPodResourcesResponse"]()
    pod = one.pod_resources.add(name="crowd-deployment-@@@@@", namespace="crowd-namespace")
    for name in "main-container", "side-container":
        container = pod.containers.add(name=name)
        for device in range(3):
            entry = container.devices.add(resource_name="example.com/vf")
            entry.device_ids.append(f"pci-@@@@@-{device}-0000")
            entry.topology.nodes.add(ID=0)
    encoded = one.SerializeToString()
    return b"".join(encoded.replace(b"@@@@@", b"%05d" % number) for number in range(pods))


# What is done before an answer; context.abort() ends the call by an exception.

def get_is_disabled(_kubelet, call):
    if call.method == "v1 Get":
        call.context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")


def limit_rate(kubelet, call):
    if not kubelet.bucket.take():
        be_busy(kubelet, call)


def be_busy(_kubelet, call):
    call.context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "rejected by rate limit")


def be_unavailable_first(kubelet, call):
    if call.number <= kubelet.first:
        call.context.abort(grpc.StatusCode.UNAVAILABLE, "kubelet is starting")


def know_no_pod_first(kubelet, call):
    if call.number <= kubelet.first:
        kubelet.abort_unknown(call)


def know_no_pod_then_hang(kubelet, call):
    know_no_pod_first(kubelet, call)
    hang(kubelet, call)


def be_slow(_kubelet, _call):
    time.sleep(1)


def hang(_kubelet, _call):
    threading.Event().wait()


def restart(_kubelet, _call):
    """Dies inside the call and is back a moment later: meanwhile nobody listens on the socket."""
    mode = sys.argv.index("restart")
    os.execv(sys.executable, [sys.executable, *sys.argv[:mode], "ok", *sys.argv[mode + 1:]])


# What is done to an answer; pods are those of a ListPodResourcesResponse.

def name_another(pods):
    for pod in pods:
        pod.name += "-other"


def pad(pods):
    """Over 16 MiB, by names of containers that are no more than a nuisance."""
    for number in range(17):
        pods[0].containers.add(name=f"{number}-" + "x" * 1024 * 1024)


GET, LIST, ALLOCATABLE = "v1 Get", "v1 List", "v1 GetAllocatableResources"


class Mode:
    """old: before 1.34, List has terminated pods; others: so many other pods are on the node."""

    def __init__(self, text, *, offers=(GET, LIST, ALLOCATABLE), before=None, change=None, old=False, others=0):
        self.text, self.offers, self.before, self.change = text, offers, before, change
        self.old, self.others = old, others


MODES = {
    "ok": Mode("Get and List answer from FILE"),
    "get-unimplemented": Mode("List without Get, as before 1.27", offers=(LIST,), old=True),
    "get-disabled": Mode("Get is refused by its feature gate, as before 1.34",
                         before=get_is_disabled, old=True),
    "list-alone": Mode("Get and List without GetAllocatableResources", offers=(GET, LIST)),
    "no-methods": Mode("a gRPC server without this service", offers=()),
    "rate-limit": Mode("100 calls a second and 10 at once, more are rejected", before=limit_rate),
    "busy": Mode("every call is rejected as beyond the rate limit", before=be_busy),
    "unavailable": Mode("the first N calls are UNAVAILABLE", before=be_unavailable_first),
    "late": Mode("the first N calls do not find the pod", before=know_no_pod_first),
    "late-hang": Mode("the first N calls do not find the pod, and the others are never answered",
                      before=know_no_pod_then_hang),
    "slow": Mode("an answer takes 1 s", before=be_slow),
    "hang": Mode("calls are taken and never answered", before=hang),
    "restart": Mode("dies inside the first call and comes back in mode ok", before=restart),
    "stale": Mode("ends as soon as it is ready and leaves its socket behind"),
    "other-pod": Mode("answers name another pod", change=name_another),
    "crowd": Mode("20,000 other pods on the node, a List of 6.5 MB without Get",
                  offers=(LIST,), others=20000),
    "big": Mode("answers of more than 16 MiB", change=pad),
}


class Call:
    """One call: its method and how many calls there were until now."""

    def __init__(self, method, number, context):
        self.method, self.number, self.context = method, number, context
        self.request = None


class Kubelet(grpc.GenericRpcHandler):
    """The services in one mode."""

    def __init__(self, args):
        self.state, self.mode = args.state, MODES[args.mode]
        self.first, self.log = args.first, args.calls
        self.bucket = Bucket(100, 10)
        self.calls, self.lock = 0, threading.Lock()
        self.others = crowd(self.mode.others)

    def service(self, handler_call_details):
        """gRPC asks for the handler of "/v1.PodResourcesLister/Get"; None is UNIMPLEMENTED."""
        _, service, name = handler_call_details.method.split("/")
        method = f"{service.split('.')[0]} {name}"
        if self.log:
            with open(self.log, "a", encoding="ascii") as file:
                file.write(method + "\n")
        if method not in self.mode.offers or not service.endswith(".PodResourcesLister"):
            return None
        answer = {GET: self.get, LIST: self.list, ALLOCATABLE: self.allocatable}[method]
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self.answer(method, answer, request, context))

    def answer(self, method, answer, request, context):
        """The encoded answer."""
        with self.lock:
            self.calls += 1
            call = Call(method, self.calls, context)
        call.request = V1_TYPES["GetPodResourcesRequest"].FromString(request)
        if self.mode.before:
            self.mode.before(self, call)
        return answer(call)

    def abort_unknown(self, call):
        call.context.abort(grpc.StatusCode.UNKNOWN, f"pod {call.request.pod_name} in namespace "
                                                    f"{call.request.pod_namespace} not found")

    def pods(self, with_terminated):
        with open(self.state, encoding="utf-8") as file:
            pods = json.load(file)["pod_resources"]
        pods = [pod for pod in pods if with_terminated or not pod.get("terminated")]
        return json_format.ParseDict({"pod_resources": pods},
                                     V1_TYPES["ListPodResourcesResponse"](),
                                     ignore_unknown_fields=True)

    def changed(self, pods):
        if self.mode.change:
            self.mode.change(pods)

    def get(self, call):
        for pod in self.pods(False).pod_resources:
            if (pod.namespace, pod.name) == (call.request.pod_namespace, call.request.pod_name):
                self.changed([pod])
                return V1_TYPES["GetPodResourcesResponse"](pod_resources=pod).SerializeToString()
        return self.abort_unknown(call)

    def allocatable(self, _call):
        with open(self.state, encoding="utf-8") as file:
            devices = json.load(file).get("devices", [])
        return json_format.ParseDict({"devices": devices},
                                     V1_TYPES["AllocatableResourcesResponse"](),
                                     ignore_unknown_fields=True).SerializeToString()

    def list(self, _call):
        listed = self.pods(self.mode.old)
        self.changed(listed.pod_resources)
        return self.others + listed.SerializeToString()


def serve(args):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=64))
    server.add_generic_rpc_handlers((Kubelet(args),))
    if not server.add_insecure_port(f"unix:{os.path.abspath(args.socket)}"):
        sys.exit(f"kubelet.py: cannot listen on {args.socket}")
    server.start()
    return server


def main():
    parser = argparse.ArgumentParser(
        formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__,
        epilog="modes:\n" + "\n".join(f"  {name:<20}{mode.text}" for name, mode in MODES.items()))
    parser.add_argument("--socket", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--mode", default="ok", choices=MODES, metavar="MODE")
    parser.add_argument("--first", type=int, default=2, metavar="N")
    parser.add_argument("--calls", metavar="LOG")
    args = parser.parse_args()

    # Waited for instead of handled: a handler would need the main thread to wake up.
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    if os.path.lexists(args.socket):
        os.unlink(args.socket)
    server = serve(args)
    print("ready", flush=True)
    if args.mode != "stale":
        signal.sigwait(stop)
        with contextlib.suppress(OSError):
            os.unlink(args.socket)
    del server      # it had to live until now
    os._exit(0)     # at once: an orderly end would wait for calls that hang


if __name__ == "__main__":
    main()
