// SPDX-License-Identifier: Apache-2.0
//
// device_manager.js - kubelet's side of the device plugin API, by grpc-js
//
//	NODE_PATH=<where npm ci put its modules> node device_manager.js --dir DIR
//		[--mode ok|refuse|deaf|keep]
//
// As kubelet it empties the directory, serves Registration on kubelet.sock there, and within a
// Register connects to the plugin and asks for its options, before it answers; then it listens to
// ListAndWatch.  What happens is a line of JSON on standard output, with "event"; what it is to do
// comes as lines of JSON on standard input, with "do", and is answered by an event of that name.
//
// refuse: the first two registrations are refused.  deaf: it accepts and does not listen.  keep: the
// directory is not emptied.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const { parseArgs } = require("node:util");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const { values: options } = parseArgs({ options: {
	dir: { type: "string" }, mode: { type: "string", default: "ok" },
} });
if (!options.dir || !["ok", "refuse", "deaf", "keep"].includes(options.mode)) {
	console.error("device_manager.js: --dir DIR [--mode ok|refuse|deaf|keep]");
	process.exit(2);
}

const api = grpc.loadPackageDefinition(loader.loadSync(path.join(__dirname, "deviceplugin.proto"),
	{ keepCase: true, longs: Number, defaults: true, arrays: true, objects: true }))["v1beta1"];
const plugins = new Map();	// by resource
let registrations = 0;

const say = (event, more) => fs.writeSync(1, `${JSON.stringify({ event, ...more })}\n`);

// -- a plugin --

const promised = (client, method, request) => new Promise((resolve, reject) =>
	client[method](request, { deadline: Date.now() + 10000 },
		(error, message) => (error ? reject(error) : resolve(message))));

function listen(resource, client) {
	const stream = client.ListAndWatch({});
	stream.on("data", ({ devices }) => say("list", { resource, at: Date.now(), devices }));
	stream.on("error", ({ code }) => say("ended", { resource, code }));
	stream.on("end", () => {});
}

async function register({ request }, callback) {
	const { version, endpoint, resource_name: resource } = request;
	const refused = options.mode === "refuse" && registrations < 2;

	registrations++;
	say("register", { ...request, refused, served: fs.existsSync(path.join(options.dir, endpoint)) });
	if (version !== "v1beta1" || refused)
		return callback({ code: grpc.status.UNKNOWN, details: "refused by the test" });
	plugins.get(resource)?.close();
	const client = new api.DevicePlugin(`unix:${path.resolve(options.dir, endpoint)}`,
		grpc.credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
	try {
		say("options", { resource, ...await promised(client, "GetDevicePluginOptions", {}) });
	} catch (error) {
		return callback({ code: grpc.status.UNKNOWN, details: error.message });
	}
	plugins.set(resource, client);
	callback(null, {});
	if (options.mode !== "deaf")
		listen(resource, client);
}

// -- what it is to do --

const allocation = (containers) => ({
	container_requests: containers.map((devices_ids) => ({ devices_ids })) });

// One call after the other on the one connection, or so many at once; until_failed: no more are begun
// when one has failed.
async function many(client, { containers, times, width = 1, until_failed: stops = false }) {
	const took = [], request = allocation(containers);
	let failed = 0, left = times;

	await Promise.all(Array.from({ length: width }, async () => {
		while (left-- > 0) {
			const begun = performance.now();
			await promised(client, "Allocate", request).catch(() => {
				failed++;
				left = stops ? 0 : left;
			});
			took.push(performance.now() - begun);
		}
	}));
	took.sort((a, b) => a - b);
	return { done: took.length, failed, p50: took[took.length >> 1],
		p99: took[Math.floor(took.length * 0.99)] };
}

const DEEDS = {
	allocate: (client, { containers }) => promised(client, "Allocate", allocation(containers)),
	many,
	prefer: (client, { available, must = [], size }) => promised(client, "GetPreferredAllocation", {
		container_requests: [{ available_deviceIDs: available, must_include_deviceIDs: must,
			allocation_size: size }] }),
	prestart: (client, { ids }) => promised(client, "PreStartContainer", { devices_ids: ids }),
	options: (client) => promised(client, "GetDevicePluginOptions", {}),
	// a method that no device plugin has
	nonsense: (client) => new Promise((resolve, reject) => client.makeUnaryRequest(
		"/v1beta1.DevicePlugin/Nonsense", (x) => x, (x) => x, Buffer.alloc(0),
		(error) => (error ? reject(error) : resolve({})))),
	// bytes that are no message
	garbage: (client) => new Promise((resolve, reject) => client.makeUnaryRequest(
		"/v1beta1.DevicePlugin/Allocate", (x) => x, (x) => x, Buffer.from([0x0a, 0x7f, 0x01]),
		(error) => (error ? reject(error) : resolve({})))),
};

async function carryOut(line) {
	const order = JSON.parse(line), client = plugins.get(order.resource);

	try {
		say(order.do, { answer: await DEEDS[order.do](client, order) });
	} catch ({ code, details, message }) {
		say(order.do, { code, details: details ?? message });
	}
}

// -- life --

fs.mkdirSync(options.dir, { recursive: true });
if (options.mode !== "keep")
	for (const name of fs.readdirSync(options.dir))
		fs.rmSync(path.join(options.dir, name), { force: true });
fs.rmSync(path.join(options.dir, "kubelet.sock"), { force: true });

const server = new grpc.Server();
server.addService(api.Registration.service, { Register: register });
server.bindAsync(`unix:${path.resolve(options.dir, "kubelet.sock")}`,
	grpc.ServerCredentials.createInsecure(), (error) => {
		if (error)
			throw error;
		say("ready");
		readline.createInterface({ input: process.stdin }).on("line", carryOut);
	});
