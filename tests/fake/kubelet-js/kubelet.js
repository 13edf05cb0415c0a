// SPDX-License-Identifier: Apache-2.0
//
// kubelet.js - ../kubelet.py once more, by a gRPC implementation that shares no code with it
//
//	NODE_PATH=<where npm ci put its modules> node kubelet.js --socket PATH --state FILE
//		[--mode MODE] [--first N]
//
// The modes are those of kubelet.py, except: after "restart" the socket file is gone for a moment,
// where kubelet.py leaves one that nobody listens on.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const { UNKNOWN, RESOURCE_EXHAUSTED, UNAVAILABLE } = grpc.status;
const GET = "v1 Get", LIST = "v1 List";
const RESTART_MS = 300;

// -- what is done before an answer: an Error with a code refuses, a Promise delays --

const refuse = (code, details) => Object.assign(new Error(details), { code, details });
const notFound = (request) =>
	refuse(UNKNOWN, `pod ${request.pod_name} in namespace ${request.pod_namespace} not found`);
const busy = () => refuse(RESOURCE_EXHAUSTED, "rejected by rate limit");

// kubelet's rate limiter: a bucket of tokens that is refilled steadily, nobody waits.
function bucket(perSecond, burst) {
	let tokens = burst, at = performance.now();
	return () => {
		const now = performance.now();
		tokens = Math.min(burst, tokens + (now - at) * perSecond / 1000);
		at = now;
		return tokens >= 1 ? void tokens-- : busy();
	};
}

const firstCalls = (error) => (call) => (call.number <= options.first ? error(call) : undefined);
const getIsDisabled = (call) =>
	call.method === GET ? refuse(UNKNOWN, "PodResources API Get method disabled") : undefined;

// -- what is done to the pods of an answer --

const nameAnother = (pod) => ({ ...pod, name: `${pod.name}-other` });
const NUISANCE = Array.from({ length: 17 }, (_, n) => ({ name: `${n}-${"x".repeat(1 << 20)}` }));
const pad = (pod) => ({ ...pod, containers: [...pod.containers, ...NUISANCE] });

// 2 containers of 3 devices each, 325 bytes a pod.
function crowd(pods) {
	const number = (n) => String(n).padStart(5, "0");
	const device = (n, d) => ({ resource_name: "example.com/vf", topology: { nodes: [{ ID: 0 }] },
		device_ids: [`pci-${number(n)}-${d}-0000`] });
	const container = (n, name) => ({ name, devices: [0, 1, 2].map((d) => device(n, d)) });
	return Array.from({ length: pods }, (_, n) => ({ name: `crowd-deployment-${number(n)}`,
		namespace: "crowd-namespace",
		containers: [container(n, "main-container"), container(n, "side-container")] }));
}

// old: before 1.34, List has terminated pods; others: so many other pods are on the node.
const MODES = {
	"ok": {},
	"get-unimplemented": { offers: [LIST], old: true },
	"get-disabled": { before: getIsDisabled, old: true },
	"rate-limit": { before: bucket(100, 10) },
	"busy": { before: busy },
	"unavailable": { before: firstCalls(() => refuse(UNAVAILABLE, "kubelet is starting")) },
	"late": { before: firstCalls((call) => notFound(call.request)) },
	"slow": { before: () => new Promise((resolve) => setTimeout(resolve, 1000)) },
	"hang": { before: () => new Promise(() => {}) },
	"restart": { before: restart },
	"stale": {},
	"other-pod": { change: nameAnother },
	"crowd": { offers: [LIST], others: 20000 },
	"big": { change: pad },
};

const { values: options } = parseArgs({ options: {
	socket: { type: "string" }, state: { type: "string" },
	mode: { type: "string", default: "ok" }, first: { type: "string", default: "2" },
} });
let mode = MODES[options.mode];
let server, calls = 0;

if (!mode || !options.socket || !options.state) {
	console.error(`kubelet.js: --socket, --state and one of ${Object.keys(MODES).join(", ")}`);
	process.exit(2);
}
const others = crowd(mode.others ?? 0);

const change = mode.change ?? ((pod) => pod);

const pods = (withTerminated) => JSON.parse(fs.readFileSync(options.state, "utf8")).pod_resources
	.filter((pod) => withTerminated || !pod.terminated);

function get(request) {
	const pod = pods(false).find(({ name, namespace }) =>
		name === request.pod_name && namespace === request.pod_namespace);
	if (!pod)
		throw notFound(request);
	return { pod_resources: change(pod) };
}

const list = () => ({ pod_resources: [...others, ...pods(mode.old).map(change)] });

// The handler of a method that this mode offers; gRPC refuses the others as UNIMPLEMENTED.
function handler(method, answer) {
	return (call, callback) => {
		calls++;
		const known = { method, number: calls, request: call.request };
		Promise.resolve(mode.before?.(known)).then((error) => {
			if (error)
				throw error;
			return answer(call.request);
		}).then((message) => callback(null, message), callback);
	};
}

const { "v1.PodResourcesLister": service } =
	loader.loadSync(path.join(__dirname, "v1.proto"), { keepCase: true });

function start(then) {
	const offers = mode.offers ?? [GET, LIST];
	const offered = (methods) => Object.fromEntries(Object.entries(methods)
		.filter(([method]) => offers.includes(method))
		.map(([method, answer]) => [method.split(" ")[1], handler(method, answer)]));

	server = new grpc.Server({ "grpc.max_send_message_length": -1 });
	server.addService(service, offered({ [GET]: get, [LIST]: list }));
	fs.rmSync(options.socket, { force: true });
	server.bindAsync(`unix:${path.resolve(options.socket)}`,
		grpc.ServerCredentials.createInsecure(), (error) => {
			if (error)
				throw error;
			then();
		});
}

// Dies inside the call and is back a moment later.
function restart() {
	mode = MODES.ok;
	server.forceShutdown();
	setTimeout(start, RESTART_MS, () => {});
	return new Promise(() => {});
}

function stop() {
	fs.rmSync(options.socket, { force: true });
	process.exit(0);
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);
start(() => {
	fs.writeSync(1, "ready\n");
	if (options.mode === "stale")
		process.kill(process.pid, "SIGKILL");
});
