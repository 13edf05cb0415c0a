#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kubelet.py - kubelet's PodResources API by a real gRPC server, for tests

    kubelet.py --socket PATH --state FILE [--mode MODE]

FILE holds {"pod_resources": [...]}, the JSON form of ListPodResourcesResponse, and is read again
at every call.  "ready" is printed once calls are accepted; SIGTERM ends it.

Modes that gRPC can speak:
    ok                  Get and List answer from FILE
    get-unimplemented   no Get, as before Kubernetes 1.27
    get-disabled        Get is refused by its feature gate, as before 1.34
    rate-limit          every call is rejected as beyond 100 calls a second
    hang                calls are taken and never answered
    big                 answers of more than 16 MiB
Modes that no gRPC server has:
    close-early         the preface is read, then the connection closed
    garbage             the preface is answered with HTTP/1.1
"""
import argparse
import concurrent.futures
import contextlib
import os
import signal
import socket
import sys
import threading

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

# Messages of k8s.io/kubelet/pkg/apis/podresources/v1: name, number, type, repeated ("*").
MESSAGES = {
    "GetPodResourcesRequest": ["pod_name 1 string", "pod_namespace 2 string"],
    "GetPodResourcesResponse": ["pod_resources 1 PodResources"],
    "ListPodResourcesRequest": [],
    "ListPodResourcesResponse": ["pod_resources 1 PodResources *"],
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
SERVICE = "v1.PodResourcesLister"


def message_classes():
    """The classes of MESSAGES, without protoc."""
    proto = descriptor_pb2.FileDescriptorProto(name="podresources.proto", package="v1",
                                               syntax="proto3")
    for name, fields in MESSAGES.items():
        message = proto.message_type.add(name=name)
        for text in fields:
            key, number, kind, *repeated = text.split()
            field = message.field.add(name=key, number=int(number), label=3 if repeated else 1,
                                      type=SCALARS.get(kind, 11))
            if kind not in SCALARS:
                field.type_name = f".v1.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(proto)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName(f"v1.{name}"))
            for name in MESSAGES}


class Kubelet:
    """The methods of the service in one mode."""

    def __init__(self, state, mode):
        self.state, self.mode = state, mode
        self.types = message_classes()

    def pods(self):
        with open(self.state, encoding="utf-8") as file:
            return json_format.Parse(file.read(), self.types["ListPodResourcesResponse"](),
                                     ignore_unknown_fields=True)

    def fail(self, context):
        """What every method does in the modes that never answer properly."""
        if self.mode == "rate-limit":
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "rejected by rate limit")
        if self.mode == "hang":
            threading.Event().wait()

    def pad(self, pod):
        """Over 16 MiB, by names of containers that are no more than a nuisance."""
        if self.mode == "big":
            for number in range(17):
                pod.containers.add(name=f"{number}-" + "x" * 1024 * 1024)

    def get(self, request, context):
        if self.mode == "get-disabled":
            context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")
        self.fail(context)
        for pod in self.pods().pod_resources:
            if (pod.namespace, pod.name) == (request.pod_namespace, request.pod_name):
                self.pad(pod)
                return self.types["GetPodResourcesResponse"](pod_resources=pod)
        return context.abort(grpc.StatusCode.UNKNOWN, f"pod {request.pod_name} in namespace "
                                                      f"{request.pod_namespace} not found")

    def list(self, _request, context):
        self.fail(context)
        pods = self.pods()
        self.pad(pods.pod_resources.add(name="nuisance", namespace="default"))
        if self.mode != "big":
            del pods.pod_resources[-1]
        return pods

    def handlers(self):
        methods = {"List": self.list}
        if self.mode != "get-unimplemented":
            methods["Get"] = self.get
        return grpc.method_handlers_generic_handler(SERVICE, {
            name: grpc.unary_unary_rpc_method_handler(
                method,
                request_deserializer=self.types[f"{name}PodResourcesRequest"].FromString,
                response_serializer=lambda message: message.SerializeToString())
            for name, method in methods.items()})


def serve_grpc(path, state, mode):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=16))
    server.add_generic_rpc_handlers((Kubelet(state, mode).handlers(),))
    if not server.add_insecure_port(f"unix:{os.path.abspath(path)}"):
        sys.exit(f"kubelet.py: cannot listen on {path}")
    server.start()
    return server


def answer_raw(connection, mode):
    with connection:
        connection.recv(4096)
        if mode == "garbage":
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.recv(4096)


def serve_raw(path, mode):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)

    def accept():
        while True:
            threading.Thread(target=answer_raw, args=(listener.accept()[0], mode),
                             daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def wait_for_stop(path, stop, _server):
    """_server is here to live until the end."""
    print("ready", flush=True)
    signal.sigwait(stop)
    with contextlib.suppress(OSError):
        os.unlink(path)
    os._exit(0)     # at once: an orderly end would wait for calls that hang


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--mode", default="ok", choices=[
        "ok", "get-unimplemented", "get-disabled", "rate-limit", "hang", "big", "close-early",
        "garbage"])
    args = parser.parse_args()

    # Waited for instead of handled: a handler would need the main thread to wake up.
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    if os.path.lexists(args.socket):
        os.unlink(args.socket)
    if args.mode in ("close-early", "garbage"):
        server = serve_raw(args.socket, args.mode)
    else:
        server = serve_grpc(args.socket, args.state, args.mode)
    wait_for_stop(args.socket, stop, server)


if __name__ == "__main__":
    main()
