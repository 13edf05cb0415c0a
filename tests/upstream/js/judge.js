// SPDX-License-Identifier: Apache-2.0
//
// judge.js - what @bufbuild/cel makes of an expression, for tests/upstream/go to compare with ours
//
// Reads one JSON object a line, {"expression": TEXT}, and answers each with one in the form of answer.c:
// true, "text", {"int": "1"}, [...], {"map": {...}}, or {"refused": message}.  NODE_PATH has the module.

"use strict";

process.env.TZ = "UTC";

const { CelScalar, celEnv, celFunc, isCelError, isCelList, isCelMap, isCelUint, parse, plan } = require("@bufbuild/cel");
const { strings } = require("@bufbuild/cel/ext");

// NaN has no order: in cel-go to ask for it is an error, the module says false.
function ordered(name, compare) {
	const number = (v) => isCelUint(v) ? v.value : v;
	const { BOOL, DOUBLE, INT, UINT } = CelScalar;
	const pairs = [[DOUBLE, DOUBLE], [DOUBLE, INT], [INT, DOUBLE], [DOUBLE, UINT], [UINT, DOUBLE]];

	return pairs.map((types) => celFunc(name, types, BOOL, (a, b) => {
		if (Number.isNaN(a) || Number.isNaN(b))
			throw new Error("NaN has no order");
		return compare(number(a), number(b));
	}));
}

const env = celEnv({ funcs: [
	...strings,
	...ordered("_<_", (a, b) => a < b), ...ordered("_<=_", (a, b) => a <= b),
	...ordered("_>_", (a, b) => a > b), ...ordered("_>=_", (a, b) => a >= b),
] });

function double(v) {
	const bits = Buffer.alloc(8);

	bits.writeDoubleBE(v);
	return { double: Number.isNaN(v) ? "nan" : bits.toString("hex") };
}

function message(v) {
	const { seconds, nanos } = v.message;

	if (v.desc.typeName === "google.protobuf.Timestamp")
		return { timestamp: `${seconds} ${nanos}` };
	if (v.desc.typeName === "google.protobuf.Duration")
		return { duration: String(seconds * 1000000000n + BigInt(nanos)) };
	throw new Error(`a value of ${v.desc.typeName}`);
}

function shown(v) {
	if (v === null || typeof v === "boolean" || typeof v === "string")
		return v;
	if (typeof v === "bigint")
		return { int: String(v) };
	if (typeof v === "number")
		return double(v);
	if (isCelUint(v))
		return { uint: String(v.value) };
	if (v instanceof Uint8Array)
		return { bytes: Buffer.from(v).toString("hex") };
	if (isCelList(v))
		return [...v].map(shown);
	if (isCelMap(v))
		return { map: Object.fromEntries([...v.entries()].map(([key, value]) =>
			[JSON.stringify(shown(key)), shown(value)])) };
	return message(v);
}

function judge(line) {
	try {
		const v = plan(env, parse(JSON.parse(line).expression))();

		return isCelError(v) ? { refused: v.message } : shown(v);
	} catch (e) {
		return { refused: e.message.split("\n")[0] };
	}
}

let rest = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
	const lines = (rest + text).split("\n");

	rest = lines.pop();
	for (const line of lines)
		process.stdout.write(JSON.stringify(judge(line)) + "\n");
});
