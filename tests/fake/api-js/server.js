// SPDX-License-Identifier: Apache-2.0
//
// server.js - an API server of Kubernetes, as far as devinfo-publish asks one: HTTPS with tokens, lists in pages,
// watches, resourceVersions, merge patches.  Nothing but Node.js itself is needed.
//
//	node server.js --cert FILE --key FILE --control SOCKET --log FILE [--host ADDRESS]
//
// It prints "port N" when it listens.  Each request is a line of JSON in the log.  Orders come as HTTP over the unix socket,
// an object of JSON each, and are answered by JSON:
//
//	{"tokens": [TEXT...]}			which are valid now
//	{"version": "v1.36.2"}			of the cluster
//	{"put": OBJECT}				somebody else makes or changes an object; what it lacks of metadata stays
//	{"get": PATH}, {"delete": PATH}		somebody else looks at one, or removes it
//	{"fail": {"status": N, "times": N, "method": M, "path": REGEXP, "headers": {}, "cut": true}}
//						the next such requests are answered so; 0: the connection is cut; after "skip"
//						of them
//	{"forget_fail": true}			all that is left of these
//	{"delay": MS}				so much later each request is looked at from now on
//	{"cut": "end" | "middle"}		all watches end: in order, or within the line of the next event
//	{"compact": true}			what was before is not known any more: 410
//	{"drop": [MEMBER...]}			members of devices that this cluster does not know
//	{"kill": {"pid": N, "at": K, "done": true}}	at the K-th request from now the client is killed: before it is
//						carried out, or after it, without an answer
//	{"requests": true}			how many there were
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const { parseArgs } = require("node:util");

const text = { type: "string" };
const { values: options } = parseArgs({ options: { cert: text, key: text, control: text, log: text,
	host: { type: "string", default: "127.0.0.1" } } });

const state = {
	version: 100, compacted: 0, tokens: ["good"], cluster: "v1.36.2", drop: [], fail: [], delay: 0, kill: null, n: 0,
	objects: new Map(),	// by path
	history: [],		// {version, type, object, collection}
	watches: new Set(),
};

// -- what there is --

// Paths of objects of the collections that are known: [collection, kind, apiVersion]
const COLLECTIONS = [
	[/^\/api\/v1\/nodes$/, "Node", "v1"],
	[/^\/api\/v1\/(namespaces\/[^/]+\/)?pods$/, "Pod", "v1"],
	[/^\/apis\/resource\.k8s\.io\/(v1|v1beta1|v1beta2)\/resourceslices$/, "ResourceSlice", "resource.k8s.io/$1"],
	[/^\/apis\/nfd\.k8s-sigs\.io\/v1alpha1\/(namespaces\/[^/]+\/)?nodefeatures$/, "NodeFeature", "nfd.k8s-sigs.io/v1alpha1"],
	[/^\/apis\/events\.k8s\.io\/v1\/(namespaces\/[^/]+\/)?events$/, "Event", "events.k8s.io/v1"],
];
const NAMESPACED = { Pod: "/api/v1", NodeFeature: "/apis/nfd.k8s-sigs.io/v1alpha1", Event: "/apis/events.k8s.io/v1" };

function collectionOf(path) {
	for (const [pattern, kind, version] of COLLECTIONS) {
		const found = pattern.exec(path);
		if (found)
			return { path, kind, apiVersion: version.replace("$1", found[1]) };
	}
	return null;
}

const plural = (kind) => `${kind.toLowerCase()}s`;
const pathOf = (object) => {
	const { kind, apiVersion, metadata } = object;
	const base = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
	return `${base}/${NAMESPACED[kind] ? `namespaces/${metadata.namespace}/` : ""}${plural(kind)}/${metadata.name}`;
};
const inCollection = (object, collection) => {
	const at = pathOf(object).slice(0, -object.metadata.name.length - 1);
	return at === collection.path || (at.replace(/namespaces\/[^/]+\//, "") === collection.path);
};

class Refused extends Error {
	constructor(code, reason, message) {
		super(message);
		Object.assign(this, { code, reason });
	}
}
const status = (code, reason, message) => ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });

const clone = (value) => JSON.parse(JSON.stringify(value));
const equal = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
function sorted(value) {
	if (Array.isArray(value))
		return value.map(sorted);
	if (value === null || typeof value !== "object")
		return value;
	return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

// -- changes --

function tell(type, object) {
	const event = { version: state.version, type, object: clone(object) };
	state.history.push(event);
	for (const watch of [...state.watches])
		watch.send(event);
}

// As the API server does: it adds what is missing, and leaves out what it does not know.
function admit(object) {
	for (const device of object.kind === "ResourceSlice" ? object.spec.devices ?? [] : []) {
		for (const member of state.drop)
			delete device[member];
		for (const taint of (device.basic ?? device).taints ?? [])
			taint.timeAdded ??= new Date().toISOString().replace(/\.[0-9]+Z/, "Z");
	}
}

function store(object, was) {
	admit(object);
	const { metadata } = object;
	const same = was && equal({ ...was, metadata: { ...was.metadata, managedFields: 0 } }, { ...object, metadata: { ...metadata,
		uid: was.metadata.uid, creationTimestamp: was.metadata.creationTimestamp, generation: was.metadata.generation,
		resourceVersion: was.metadata.resourceVersion, managedFields: 0 } });
	if (same)
		return was;
	state.version++;
	metadata.uid = was?.metadata.uid ?? metadata.uid ?? crypto.randomUUID();
	metadata.creationTimestamp = was?.metadata.creationTimestamp ?? new Date().toISOString().replace(/\.[0-9]+Z/, "Z");
	metadata.generation = (was?.metadata.generation ?? 0) + (was && equal(was.spec, object.spec) ? 0 : 1);
	metadata.resourceVersion = String(state.version);
	metadata.managedFields = [{ manager: "devinfo-publish", operation: "Update", apiVersion: object.apiVersion,
		fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } }];
	state.objects.set(pathOf(object), object);
	tell(was ? "MODIFIED" : "ADDED", object);
	return object;
}

function remove(path) {
	const object = state.objects.get(path);
	state.objects.delete(path);
	state.version++;
	object.metadata.resourceVersion = String(state.version);
	tell("DELETED", object);
	return object;
}

function checkVersion(object, given, isPatch) {
	if (given.resourceVersion && given.resourceVersion !== object.metadata.resourceVersion)
		throw new Refused(409, "Conflict", `Operation cannot be fulfilled on "${object.metadata.name}": the object has been modified`);
	if (!given.uid || given.uid === object.metadata.uid)
		return;
	if (isPatch)
		throw new Refused(422, "Invalid", `"${object.metadata.name}" is invalid: metadata.uid: Invalid value: field is immutable`);
	throw new Refused(409, "Conflict", `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${object.metadata.uid}`);
}

const IMMUTABLE = { ResourceSlice: ["driver", "nodeName"] };

function checkImmutable(was, object) {
	for (const member of IMMUTABLE[was.kind] ?? [])
		if (!equal(was.spec[member], object.spec[member]))
			throw new Refused(422, "Invalid", `spec.${member}: Invalid value: field is immutable`);
	if (was.kind === "ResourceSlice" && was.spec.pool.name !== object.spec.pool.name)
		throw new Refused(422, "Invalid", "spec.pool.name: Invalid value: field is immutable");
}

function create(collection, body) {
	const object = clone(body);
	object.metadata.namespace ??= /namespaces\/([^/]+)/.exec(collection.path)?.[1];
	if (object.kind !== collection.kind || object.apiVersion !== collection.apiVersion)
		throw collection.kind === "NodeFeature" ? new Refused(422, "Invalid", `kind: Invalid value: "${object.kind}"`) :
			new Refused(400, "BadRequest", `the object is a ${object.apiVersion} ${object.kind}`);
	if (state.objects.has(pathOf(object)))
		throw new Refused(409, "AlreadyExists", `"${object.metadata.name}" already exists`);
	return store(object, null);
}

function replace(path, body) {
	const was = find(path);
	checkVersion(was, body.metadata);
	checkImmutable(was, body);
	return store(clone(body), was);
}

function merge(into, patch) {
	for (const [key, value] of Object.entries(patch))
		if (value === null)
			delete into[key];
		else if (typeof value === "object" && !Array.isArray(value))
			merge(into[key] = typeof into[key] === "object" ? into[key] : {}, value);
		else
			into[key] = value;
	return into;
}

function patch(path, body, type) {
	const isStatus = path.endsWith("/status");
	const was = find(path.replace(/\/status$/, ""));
	if (type !== "application/merge-patch+json")
		throw new Refused(415, "UnsupportedMediaType", `the type ${type} is not supported`);
	const object = merge(clone(was), body);
	checkVersion(was, object.metadata, true);
	if (isStatus)
		object.spec = was.spec;
	return store(object, was);
}

function find(path) {
	const object = state.objects.get(path);
	if (!object)
		throw new Refused(404, "NotFound", `${path} not found`);
	return object;
}

// -- lists and watches --

// Beside metadata.name and .namespace; of a kind without a row none
const SELECTABLE = { Pod: ["spec.nodeName", "status.phase"], ResourceSlice: ["spec.nodeName", "spec.driver"] };

const selectors = (query) => (query.get("fieldSelector") ?? "").split(",").filter(Boolean).map((one) => /^([^!=]*)(!?)=(.*)$/.exec(one));

function checkSelectors(query, { kind }) {
	for (const [, field] of selectors(query))
		if (!/^metadata\.name(space)?$/.test(field) && !(SELECTABLE[kind] ?? []).includes(field))
			throw new Refused(400, "BadRequest", `Unable to find ... that match ...: field label not supported: ${field}`);
}

function selects(query, object) {
	for (const [, field, not, value] of selectors(query)) {
		if ((field.split(".").reduce((at, key) => at?.[key], object) === value) === (not === "!"))
			return false;
	}
	return true;
}

const shown = (object, metadataOnly) => metadataOnly ?
	{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata } : object;

function list(collection, query, metadataOnly) {
	let all = [...state.objects.entries()].filter(([, o]) => inCollection(o, collection) && selects(query, o)).sort();
	const from = query.get("continue");
	const limit = Number(query.get("limit") ?? 0);
	if (from && !Buffer.from(from, "base64").toString().startsWith("/"))
		throw new Refused(400, "BadRequest", "continue key is not valid");
	if (from)
		all = all.filter(([path]) => path > Buffer.from(from, "base64").toString());
	const page = limit ? all.slice(0, limit) : all;
	const metadata = { resourceVersion: String(state.version) };
	if (page.length < all.length)
		metadata.continue = Buffer.from(page.at(-1)[0]).toString("base64");
	return { kind: metadataOnly ? "PartialObjectMetadataList" : `${collection.kind}List`,
		apiVersion: metadataOnly ? "meta.k8s.io/v1" : collection.apiVersion, metadata,
		items: page.map(([, object]) => shown(object, metadataOnly)) };
}

function watch(response, collection, query, metadataOnly) {
	const from = Number(query.get("resourceVersion") ?? 0);
	const one = {
		send(event) {
			if (!inCollection(event.object, collection))
				return;
			// one that is not selected any more is gone for this watch
			const type = selects(query, event.object) ? event.type : event.type === "MODIFIED" ? "DELETED" : undefined;
			if (!type)
				return;
			const line = `${JSON.stringify({ type, object: shown(event.object, metadataOnly) })}\n`;
			if (one.middle) {
				response.write(line.slice(0, line.length / 2));
				setTimeout(() => one.end(), 20);
				return;
			}
			// in two pieces, as a network may
			response.write(line.slice(0, 10));
			response.write(line.slice(10));
		},
		end() {
			state.watches.delete(one);
			if (one.middle)
				response.destroy();
			else
				response.end();
		},
	};
	response.writeHead(200, { "Content-Type": "application/json", "Transfer-Encoding": "chunked" });
	if (from < state.compacted) {
		response.end(`${JSON.stringify({ type: "ERROR", object: status(410, "Expired", `too old resource version: ${from}`) })}\n`);
		return;
	}
	response.flushHeaders();
	for (const event of state.history.filter((e) => e.version > from))
		one.send(event);
	// of a client that has died since it asked nothing is closed any more
	if (response.destroyed || !response.socket || response.socket.destroyed)
		return;
	state.watches.add(one);
	response.on("close", () => state.watches.delete(one));
	setTimeout(() => {
		// not behind half a line
		if (state.watches.has(one) && !one.middle && query.get("allowWatchBookmarks"))
			response.write(`${JSON.stringify({ type: "BOOKMARK", object: { kind: collection.kind, apiVersion: collection.apiVersion,
				metadata: { resourceVersion: String(state.version) } } })}\n`);
	}, 100).unref();
}

// -- requests --

const log = (line) => fs.appendFileSync(options.log, `${JSON.stringify(line)}\n`);

function answer(request, response, path, query, body) {
	const [, form] = /;as=([^;,]*)/.exec(request.headers.accept ?? "") ?? [];
	const metadataOnly = Boolean(form);
	const reply = (code, object) => {
		response.writeHead(code, { "Content-Type": "application/json" });
		response.end(JSON.stringify(object));
	};
	const collection = collectionOf(path);
	const isList = collection && request.method === "GET" && !query.get("watch");
	if (form && form !== (isList ? "PartialObjectMetadataList" : "PartialObjectMetadata"))
		throw new Refused(406, "NotAcceptable", `you requested ${form}, but the requested object is ${isList ? "a" : "not a"} list`);
	if (path === "/version")
		return reply(200, { major: "1", minor: "36", gitVersion: state.cluster });
	if (!collection && request.method === "GET" && !collectionOf(path.replace(/\/[^/]+$/, ""))) {	// no such API, or version of it
		response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" });
		return response.end("404 page not found\n");
	}
	if (collection && request.method === "GET")
		checkSelectors(query, collection);
	if (collection && request.method === "GET")
		return query.get("watch") ? watch(response, collection, query, metadataOnly) :
			reply(200, list(collection, query, metadataOnly));
	if (collection && request.method === "POST")
		return reply(201, create(collection, body));
	if (request.method === "GET")
		return reply(200, shown(find(path), metadataOnly));
	if (request.method === "PUT")
		return reply(200, replace(path, body));
	if (request.method === "PATCH")
		return reply(200, shown(patch(path, body, request.headers["content-type"]), metadataOnly));
	if (request.method === "DELETE") {
		checkVersion(find(path), body?.preconditions ?? {});
		remove(path);
		return reply(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
	}
	throw new Refused(405, "MethodNotAllowed", `${request.method} ${path}`);
}

function planned(request, path) {
	for (const one of state.fail) {
		if (one.times <= 0 || (one.method && one.method !== request.method) || (one.path && !new RegExp(one.path).test(path)))
			continue;
		if (one.skip > 0) {
			one.skip--;
			continue;
		}
		one.times--;
		return one;
	}
	return null;
}

// "before" is carried out or not; in both cases the client gets no answer
function killed(act) {
	if (!state.kill || --state.kill.at > 0)
		return false;
	const { pid, done } = state.kill;
	state.kill = null;
	if (done)
		act();
	process.kill(pid, "SIGKILL");
	return true;
}

function handle(request, response, text) {
	const url = new URL(request.url, "https://server");
	const body = text ? JSON.parse(text) : undefined;
	const isWatch = Boolean(url.searchParams.get("watch"));
	const line = { n: ++state.n, method: request.method, path: url.pathname, query: url.search, watch: isWatch, body,
		type: request.headers["content-type"], agent: request.headers["user-agent"] };
	response.on("close", () => log({ ...line, status: response.statusCode }));
	if (isWatch)	// its end is of no interest
		response.removeAllListeners("close"), log({ ...line, status: 200 });
	const [, token] = /^Bearer (.*)$/.exec(request.headers.authorization ?? "") ?? [];
	const refuse = (e, headers = {}) => {
		response.writeHead(e.code, { "Content-Type": "application/json", ...headers });
		response.end(JSON.stringify(status(e.code, e.reason, e.message)));
	};
	const act = () => {
		try {
			answer(request, response, url.pathname, url.searchParams, body);
		} catch (e) {
			refuse(e instanceof Refused ? e : new Refused(500, "InternalError", String(e.stack)));
		}
	};
	if (!state.tokens.includes(token) && !request.socket.authorized)
		return refuse(new Refused(401, "Unauthorized", "Unauthorized"));
	if (killed(act))
		return request.socket.destroy();
	const plan = planned(request, request.url);
	if (plan?.status === 0)
		return request.socket.destroy();
	if (plan)
		return refuse(new Refused(plan.status, "Planned", "as planned"), plan.headers);
	return act();
}

function read(request, done) {
	let body = "";
	request.setEncoding("utf8");
	request.on("data", (piece) => body += piece);
	request.on("end", () => done(body));
}

// -- orders --

const orders = {
	tokens: (list) => state.tokens = list,
	version: (version) => state.cluster = version,
	put: (object) => {
		const was = state.objects.get(pathOf(object));
		return store(was ? { ...clone(object), metadata: { ...clone(was.metadata), ...object.metadata } } : clone(object), was);
	},
	get: (path) => state.objects.get(path) ?? null,
	list: (pattern) => [...state.objects.entries()].filter(([path]) => new RegExp(pattern).test(path)).map(([, o]) => o),
	delete: (path) => remove(path),
	forget_fail: () => state.fail = [],
	fail: (plan) => state.fail.push({ times: 1, skip: 0, ...plan }),
	delay: (ms) => state.delay = ms,
	cut: (how) => {
		for (const one of [...state.watches]) {
			one.middle = how === "middle";
			if (!one.middle)
				one.end();
		}
		return state.watches.size;
	},
	compact: () => state.compacted = state.version + 1,
	drop: (members) => state.drop = members,
	kill: (plan) => state.kill = plan,
	requests: () => state.n,
	watches: () => state.watches.size,
};

// What is known of one that is compacted begins with the next change.
http.createServer((request, response) => read(request, (body) => {
	const order = JSON.parse(body);
	const [name] = Object.keys(order);
	response.end(JSON.stringify(orders[name](order[name]) ?? null));
})).listen(options.control);

const server = https.createServer({ cert: fs.readFileSync(options.cert), key: fs.readFileSync(options.key),
	ca: fs.readFileSync(options.cert), requestCert: true, rejectUnauthorized: false },
(request, response) => read(request, (body) => setTimeout(() => handle(request, response, body), state.delay)));
server.listen(0, options.host, () => console.log(`port ${server.address().port}`));
