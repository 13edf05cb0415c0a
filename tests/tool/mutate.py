#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
mutate.py - which mistakes would no test notice?

	make mutate [N=20] [SEED=1] [MODULES="cni/vf manager/nfd/eval"] [AGAIN=1] [UNITS=1] [LAB=1]

Makes one change at a time in a copy of the tree: a condition negated, a call or an assignment
dropped, an integer moved by one, two neighbouring statements exchanged.  Builds what depends on it,
and runs tests until one fails: first the unit tests that call functions of the module and those of
its room, then the files of cli, net and, with LAB=1, of lab that name its room behind "# rooms:".
What no test has noticed survived: it is equivalent, or a hole.

MODULES names rooms, floors, files without ".c", or lines of one ("cni/vf/vf:259"); all rooms when
it is not given.  N changes are tried, of each room as many as is its share of all that could be
made, and at least one; SEED gives the choice and the order.  $BUILD/mutate/results has one line for
each: it is not run again while the module's source is the same, so an interrupted run goes on where
it was.  AGAIN=1 runs survivors again, for after tests have been added.  UNITS=1 leaves all but the
unit tests out: what none of them has noticed is left for a run without it.  FILES="net/socket" takes
of bats these files alone, to see whether a test notices.  Needs root: tests run in namespaces of
their own, which end with them; those of lab run in the virtual machine.

A test that fails has noticed only when it fails once more, and one of bats when it passes without
the change.  Not mutated: messages for the log, and what is outside of functions.  Not run: peers.
"""
import collections
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("BUILD", "build")
WORK = BUILD / "mutate"
TREE = WORK / "tree"
RESULTS = WORK / "results"

# Seconds of the processor each: tests of processes and of races, for their own room alone.
LONG = {"test_infiniband", "test_rdma", "test_rdma_kill", "test_schedule"}
# What repeats other tests many times over, or waits.
SLOW = {"cli/silence", "net/matrix", "net/wait", "net/syscalls", "net/hostile", "net/tenant", "net/process"}

UNITS_MAX = 8		# unit tests of a module: those of its name, those that call it most, its room's
BUILD_S = 300
SILENCE_S = 180		# between two tests
UNIT_S = 60
BATS_S = 600
LAB_S = 1500

SIMPLE = re.compile(r"(?:\(void\)\s*)?\**\w+(?:->\w+|\.\w+|\[[^]]*\])*\s*"
		    r"(?:(?:[-+*/|&^]|<<|>>)?=(?!=)|\(|\+\+|--)")
PLAIN = re.compile(r"(?:memcpy\(([^,]*),|\**([\w.>\[\]-]+) [|&]?= [^(]*;$)")
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+|\d+)(?![\w.])")
ARRAY = re.compile(r"\s*(?:(?:static|const|struct|unsigned) )*\w+ \**\w+\[[^]]*\d[^]]*\]")

Mutant = collections.namedtuple("Mutant", "module sha kind line was now text")


def blank(m):
	"""A comment, string or directive of the same length without anything to see in it."""
	if m[0][0] in "\"'":
		return m[0][0] + "s" * (len(m[0]) - 2) + m[0][0]
	return re.sub(r"[^\n]", " ", m[0])


class Source:
	"""A file of C in kernel style, and all changes that can be made in it."""

	def __init__(self, module):
		self.module, self.mutants = module, []
		self.text = (TOP / f"{module}.c").read_text()
		self.sha = hashlib.sha1(self.text.encode()).hexdigest()[:12]
		t = re.sub(r"/\*[\s\S]*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", blank, self.text)
		self.t = re.sub(r"^#(?:.*\\\n)*.*", blank, t, flags=re.M)
		for m in re.finditer(r"^\{", self.t, re.M):
			self.integers(m.start(), self.block(m.start()))

	def add(self, kind, start, end, new):
		line = self.text.count("\n", 0, start) + 1
		was, now = (" ".join(s.split()) for s in (self.text[start:end], new))
		text = self.text[:start] + new + self.text[end:]
		self.mutants.append(Mutant(self.module, self.sha, kind, line, was, now, text))

	def skip(self, i):
		return i + len(self.t[i:]) - len(self.t[i:].lstrip())

	def past(self, i):
		"""Behind the character at i, or behind the bracket that closes it."""
		depth = 0
		while True:
			depth += (self.t[i] in "([{") - (self.t[i] in ")]}")
			i += 1
			if depth == 0:
				return i

	def top(self, start, end):
		"""The same text without what is in brackets."""
		ret, i = "", start
		while i < end:
			j = self.past(i)
			ret += self.t[i] if j == i + 1 else " " * (j - i)
			i = j
		return ret

	def block(self, i):
		siblings, i = [], self.skip(i + 1)
		while self.t[i] != "}":
			end = self.statement(i)
			siblings.append((i, end))
			i = self.skip(end)
		for (a, b), (c, d) in zip(siblings, siblings[1:]):
			if self.is_exchangeable(self.t[a:b], self.t[c:d]):
				self.add("exchange", a, d, self.text[c:d] + self.text[b:c] + self.text[a:b])
		return i + 1

	def is_exchangeable(self, *two):
		"""No declaration, no jump, no message; and not two assignments that are independent."""
		if not all(re.match(r"(?:if|while|for) \(", t) or
			   SIMPLE.match(t) and not re.match(r"log_|return", t) for t in two):
			return False
		a, b = (PLAIN.match(t) for t in two)
		return not (a and b and (a[1] or a[2]) not in two[1] and (b[1] or b[2]) not in two[0])

	def statement(self, i):
		"""Notes the changes in the statement at i; behind it."""
		t = self.t
		if t[i] == "{":
			return self.block(i)
		word = re.match(r"\w*", t[i:i + 64])[0]
		if word == "do":
			return t.index(";", self.statement(self.skip(i + 2))) + 1
		if word in ("case", "default"):
			return t.index(":", i) + 1
		call = word != "return" and re.match(r" ?\(", t[i + len(word):])
		body = self.skip(self.past(t.index("(", i))) if call else i
		if word in ("if", "while", "for", "switch") or (body > i and t[body] == "{"):
			return self.compound(i, body, word)
		end = i
		while t[end] != ";":
			end = self.past(end)
		self.simple(i, end + 1, word)
		return end + 1

	def compound(self, i, body, word):
		start = self.t.index("(", i) + 1
		end = self.t.rindex(")", start, body)
		parts = self.top(start, end).split(";")
		if word == "for" and len(parts) == 3:	# else a macro is all three
			start += len(parts[0]) + 1
			self.condition(start, start + len(parts[1]))
		if word in ("if", "while"):
			self.condition(start, end)
		end = self.statement(body)
		if word == "if" and self.t.startswith("else", self.skip(end)):
			end = self.statement(self.skip(self.skip(end) + 4))
		return end

	def simple(self, i, end, word):
		if self.t.startswith("log_", i):
			return
		if word != "return" and SIMPLE.match(self.t, i):
			self.add("drop", i, end, ";")
		top = self.top(i, end)
		value = 6 if word == "return" else re.search(r"(?<![=!<>])=(?!=)|$", top).end()
		if re.search(r"&&|\|\||\?|[=!]=", top[value:]) and "," not in top[value:]:
			self.condition(i + value, end - 1)

	def condition(self, start, end):
		"""All, or what is before a '?', and its operands, and theirs."""
		mark = self.top(start, end).find("?")
		end = start + len(self.t[start:end if mark < 0 else start + mark].rstrip())
		start = self.skip(start)
		self.add("negate", start, end, f"!({self.text[start:end]})")
		inner = re.compile("!*").match(self.t, start).end()
		if self.t[inner] == "(" and self.past(inner) == end:
			start, end = inner + 1, end - 1
		parts = re.split(r"(&&|\|\|)", self.top(start, end))
		for i, part in enumerate(parts):
			if len(parts) > 1 and i % 2 == 0:
				self.condition(start, start + len(part))
			start += len(part)

	def integers(self, start, end):
		for m in NUMBER.finditer(self.t, start, end):
			a, b = self.t.rindex("\n", 0, m.start()) + 1, self.t.index("\n", m.end())
			if self.t[m.start() - 2:m.end() + 2] == "{ 0 }" or ARRAY.match(self.t, a):
				continue
			value = int(m[0], 8 if re.fullmatch(r"0\d+", m[0]) else 0)
			negative = re.search(r"(?:return|[=(,?:<>&|]) *-$", self.t[a:m.start()])
			for new in {value - 1, value + 1} - ({value + 1} if negative else {-1}):
				self.add("integer", a, b, self.text[a:m.start()] + str(new) +
					 self.text[m.end():b])


def copy_tree():
	"""All of it, with what is built of it: the times of files are kept, so make has nothing to do."""
	shutil.rmtree(TREE, ignore_errors=True)
	skip = shutil.ignore_patterns(".git", "build*", BUILD.name, "__pycache__")
	shutil.copytree(TOP, TREE, symlinks=True, ignore=skip)
	shutil.copytree(BUILD, TREE / "build", symlinks=True, ignore=shutil.ignore_patterns("mutate"))


def build(*targets):
	"""Whether they build in the copy: warnings do not count."""
	env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "STRICT", "BUILD")}
	return subprocess.run(
		["timeout", str(BUILD_S), "make", "-j2", "BUILD=build", *targets],
		cwd=TREE, env=env | {"CCACHE_DISABLE": "1"}, capture_output=True).returncode == 0


UNSHARE = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def run_tap(command, limit, counts=lambda test: True, tree=TREE, built=TREE / "build", silence=SILENCE_S):
	"""
	(what, test): "passed", "failed" by a test that counts, or "timeout".  The command runs in
	namespaces of its own: nothing of it is left when it is ended early.
	"""
	script = "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && " \
		 'exec "$@" 2>/dev/null'
	with tempfile.TemporaryDirectory(prefix="mut.", ignore_cleanup_errors=True) as tmp:
		os.chmod(tmp, 0o755)
		p = subprocess.Popen(
			[*UNSHARE, "sh", "-c", script, "sh", *command],
			cwd=tree, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
			env=os.environ | {"BUILD": str(built), "TMPDIR": tmp})
		try:
			return judge(p, time.monotonic() + limit, counts, silence)
		finally:
			p.kill()
			p.wait()
			p.stdout.close()


def judge(p, end, counts, silence):
	rest, last, seen, ignored = b"", "its start", 0, 0
	while True:
		wait = min(silence, end - time.monotonic())
		if wait <= 0 or not select.select([p.stdout], [], [], wait)[0]:
			return "timeout", f"after {last}"
		data = os.read(p.stdout.fileno(), 65536)
		*lines, rest = (rest + data).split(b"\n")
		for line in lines:
			m = re.match(r"(not )?ok \d+ (?:- )?(.*)", line.decode(errors="replace"))
			if not m:
				continue
			seen, last = seen + 1, m[2]
			if m[1] and counts(last):
				return "failed", last
			ignored += bool(m[1])
		if not data:
			bad = p.wait() and not ignored or seen == 0
			return ("failed", f"it ended after {last}") if bad else ("passed", "")


def rooms():
	return re.findall(r"^([a-z/]+):", (TOP / "tests/rooms").read_text(), re.M)


def room_of(module):
	return module.rpartition("/")[0]


def functions_of(module):
	"""What others can call of it, whichever header says so."""
	text = (TOP / f"{module}.c").read_text()
	return set(re.findall(r"^(?!static|extern|typedef|struct \w+ \{)[a-z][\w *]*?\b(\w+)\((?!.*;$)",
			      text, re.M))


def units_of(module):
	"""
	Paths below tests/unit, of the tests that tell most of the module first: that of its name, those
	that call its functions most, and those of its room, which may know it through a table alone.
	"""
	names = functions_of(module)
	calls = re.compile(rf"(?<!\w)(?:{'|'.join(names) or '-'})\(")
	folder, found = TREE / "tests/unit", {}

	def text_of(path, seen):
		text = path.read_text()
		for h in set(re.findall(r'#include "tests/unit/(\w+\.h)"', text)) - seen:
			text += text_of(folder / h, seen | {h}) if (folder / h).exists() else ""
		return text

	for path in folder.rglob("test_*.c"):
		test = str(path.relative_to(folder))[:-2]
		own = room_of(test) == room_of(module)
		if path.stem in LONG and not own:
			continue
		n = len(calls.findall(text_of(path, set())))
		n += 1000 * (own and path.stem == f"test_{pathlib.Path(module).name}")
		if n or own:
			found[test] = n + 0.5 * own
	return sorted(found, key=lambda t: (-found[t], t))[:UNITS_MAX]


def files_of(module):
	"""
	(tier, file) of bats that name the module's room, the most about it and the shortest first; of
	these, what repeats others last.
	"""
	found = []
	if os.environ.get("FILES"):
		return os.environ["FILES"].split()
	for tier in ("cli", "net", "lab") if os.environ.get("LAB") else ("cli", "net"):
		for path in sorted((TOP / "tests" / tier).glob("*.bats")):
			text = path.read_text()
			named = re.search(r"^# rooms: (.*)", text, re.M)[1].split()
			if room_of(module) in named:
				name = f"{tier}/{path.stem}"
				found.append((tier, name in SLOW, named.index(room_of(module)), len(text), name))
	order = ("cli", "net", "lab")
	return [f[4] for f in sorted(found, key=lambda f: (order.index(f[0]), *f[1:]))]


class Run:
	def __init__(self):
		self.passes = {}	# tests of bats without any change
		lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
		self.results = {tuple(r["id"]): r["verdict"] for r in map(json.loads, lines)}

	def note(self, m, verdict, by):
		self.results[m[:6]] = verdict
		with RESULTS.open("a") as f:
			f.write(json.dumps({"id": m[:6], "verdict": verdict, "by": by}) + "\n")
		print(f"{verdict:8} {m.module}.c:{m.line} {m.kind}: {m.was[:90]} -> {m.now[:90]}"
		      f"{'   # ' + by[:120] if by else ''}", flush=True)

	def counts(self, file, test):
		"""Does this test of bats, alone, fail with the change again, and pass without it?"""
		name = re.sub(r" # .*$", "", test)
		if file.startswith("lab/"):
			return True		# a machine of its own each time: half a minute
		command = ["bats", "--tap", "-f", f"^{re.escape(name)}$", f"tests/{file}.bats"]
		if run_tap(command, BATS_S)[0] == "passed":
			return False
		if (file, name) not in self.passes:
			what, _ = run_tap(command, BATS_S, tree=TOP, built=BUILD)
			self.passes[file, name] = what == "passed"
		return self.passes[file, name]

	def test(self, m, units):
		"""Who notices, and with which test: no more is built than has to be."""
		if not build(f"build/{m.module}.o"):
			return "no build", ""
		for unit in units:
			if not build(f"build/tests/unit/{unit}"):
				return "no build", ""
			what, by = self.unit(unit)
			if what != "passed":
				return ("unit" if what == "failed" else what), f"{unit}: {by}"
		if os.environ.get("UNITS"):
			return "left", ""
		if not build("all"):
			return "no build", ""
		for file in files_of(m.module):
			what, by = self.bats(file)
			if what != "passed":
				return (file[:3] if what == "failed" else what), f"{file}: {by}"
		return "survived", ""

	def bats(self, file):
		if file.startswith("lab/"):
			return run_tap(["env", f"VMTEST_PROJECT={TREE}", "tests/lab/run.sh",
					f"tests/{file}.bats"], LAB_S, silence=LAB_S)
		return run_tap(["bats", "--tap", f"tests/{file}.bats"], BATS_S,
			       lambda test: self.counts(file, test))

	def unit(self, unit):
		first = run_tap([f"build/tests/unit/{unit}"], UNIT_S)
		return run_tap([f"build/tests/unit/{unit}"], UNIT_S) if first[0] == "failed" else first

	def one(self, m, units):
		file = TREE / f"{m.module}.c"
		file.write_text(m.text)
		try:
			self.note(m, *self.test(m, units))
		finally:
			shutil.copy(TOP / f"{m.module}.c", file)	# its time is now, so that make sees it

	def baseline(self, module):
		"""The unit tests that pass without a change, built."""
		units = units_of(module)
		if not build("all", *(f"build/tests/unit/{u}" for u in units)):
			sys.exit(f"mutate.py: the tree does not build, with {' '.join(units)}")
		good = [u for u in units if self.unit(u)[0] == "passed"]
		bad = " ".join(set(units) - set(good))
		print(f"# {module}: unit tests: {' '.join(good) or 'none'}"
		      f"{'; not run, for they fail without a change: ' + bad if bad else ''}"
		      f"; then: {' '.join(files_of(module)) or 'none'}", flush=True)
		return good

	def report(self, sources):
		"""What is known of these modules, of this run and of those before."""
		kinds = ["unit", "cli", "net", "lab", "timeout", "survived", "left", "no build"]
		all_of = collections.defaultdict(collections.Counter)
		for key, verdict in self.results.items():
			if key[0] in sources and sources[key[0]].sha == key[1]:
				all_of[room_of(key[0])][verdict] += 1
		total = sum(all_of.values(), collections.Counter())
		print("\n# | room | mutants |", " | ".join(kinds), "|")
		for room, n in [*sorted(all_of.items()), ("all", total)]:
			print(f"# | {room} | {n.total() - n['no build']} |", " | ".join(str(n[k]) for k in kinds), "|")
		for module, sha, kind, line, was, now in (k for k, v in self.results.items() if v == "survived"):
			if module in sources and sources[module].sha == sha:
				print(f"survived {module}.c:{line} {kind}: {was} -> {now}")


def modules_of(word):
	"""What one word of MODULES means: modules, and the line of one or None."""
	word, _, line = re.sub(r"\.c(?=:|$)", "", word).partition(":")
	if (TOP / f"{word}.c").exists():
		return [word], int(line) if line else None
	below = [r for r in rooms() if r == word or r.startswith(f"{word}/")]
	found = [str(p.relative_to(TOP))[:-2] for r in below for p in sorted((TOP / r).glob("*.c"))]
	if not found:
		sys.exit(f"mutate.py: {word} is no module and no room; the rooms are: {' '.join(rooms())}")
	return found, None


def sources_of(words):
	sources = {}
	for word in words:
		modules, line = modules_of(word)
		for module in modules:
			source = Source(module)
			if line:
				source.mutants = [m for m in source.mutants if m.line == line]
			sources.setdefault(module, source)
	return sources


def shares(sizes, n):
	"""Of n as many for each as is its share of all, the largest remainders up, and none without one."""
	total = sum(sizes.values())
	exact = {k: n * s / total for k, s in sizes.items()}
	ret = {k: min(max(1, int(x)), sizes[k]) for k, x in exact.items()}
	for k in sorted(exact, key=lambda k: int(exact[k]) - exact[k]):
		if sum(ret.values()) < n and ret[k] < sizes[k]:
			ret[k] += 1
	return ret


def sample(sources, n, seed):
	"""The changes to be tried, by module: a change next to the last one needs less building."""
	by_room = collections.defaultdict(list)
	for module, source in sources.items():
		by_room[room_of(module)] += source.mutants
	share = shares({room: len(mutants) for room, mutants in by_room.items() if mutants}, n)
	chosen = []
	for room, k in share.items():
		random.Random(f"{seed}:{room}").shuffle(by_room[room])
		chosen += by_room[room][:k]
	print(f"# SEED={seed}: {len(chosen)} of {sum(map(len, by_room.values()))} changes:",
	      ", ".join(f"{room} {k}" for room, k in share.items()), flush=True)
	return sorted(chosen, key=lambda m: (room_of(m.module), m.module))


def main():
	if os.geteuid() != 0:
		sys.exit("mutate.py: needs root")
	signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))		# what runs ends, too
	sources = sources_of((os.environ.get("MODULES") or " ".join(rooms())).split())
	chosen = sample(sources, int(os.environ.get("N") or 20), os.environ.get("SEED") or "1")
	WORK.mkdir(parents=True, exist_ok=True)
	lock = (WORK / "lock").open("w")
	fcntl.flock(lock, fcntl.LOCK_EX)	# for as long as this runs: there is one copy
	copy_tree()
	run, units, again = Run(), {}, set()
	if os.environ.get("AGAIN"):
		again.add("survived")
	if not os.environ.get("UNITS"):
		again.add("left")
	for m in chosen:
		if run.results.get(m[:6]) not in (None, *again):
			continue
		if m.module not in units:
			units[m.module] = run.baseline(m.module)
		run.one(m, units[m.module])
	run.report(sources)


if __name__ == "__main__":
	main()
