#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
sweep.py - every step of every verb goes wrong once: what does the plugin say, and what is left?

	sweep.py <SCENE		in the node's own namespaces; tests/net/sweep.bats makes the scene

A point is one call of the plugin with one fault, and is judged by what it has printed, what it
leaves, and what a DEL without a fault leaves then.  The kinds of faults:

	error	a system call fails with an errno that is plausible for it (the table below), once
	lasting	so do all later ones of the same name, those of the roll-back as well
	child	a call of a child fails, before it is another program
	kill	SIGKILL before a system call
	memory	an allocation fails
	lost, late, twice	an answer of the kernel's over netlink

The tools are sysfault, allocfail and answers of this folder.  What comes before main() is the
dynamic loader's and is left out.

Environment: ONLY, a pattern of points as they are printed ("owner/ADD/kill/*"); N, how many of each
verb and kind, spread evenly, or "all"; SEED, which ones; V=1, what the calls said that failed.
"""
import collections
import ctypes
import errno
import fnmatch
import glob
import json
import os
import random
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

LIMIT_S = 25		# of one call: no wait of the plugin's own is that long
SETTLE_S = 3		# of what the kernel does later: routes, addresses, the end of processes
VERBS = ("ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION")
KINDS = ("error", "lasting", "child", "kill", "memory", "lost", "late", "twice")

# What each call may fail with on a node that is full, ill or busy.  No call lies: there is no ENOENT.
FILES = "EIO ENOMEM EACCES"
NAMES = "EIO ENOSPC EROFS"
SETTING = "EPERM"
PLAUSIBLE = {
	"open": "EMFILE EIO EACCES", "openat": "EMFILE EIO EACCES", "openat2": "EMFILE EIO EACCES EAGAIN",
	"close": "EIO EINTR", "dup2": "EMFILE", "dup3": "EMFILE",
	"read": "EIO EINTR", "pread64": "EIO", "getdents64": "EIO ENOMEM", "lseek": "EIO",
	"write": "ENOSPC EIO EINTR EDQUOT", "pwrite64": "ENOSPC EIO", "writev": "ENOSPC EIO", "ftruncate": "EIO ENOSPC",
	"fsync": "EIO ENOSPC EDQUOT", "fdatasync": "EIO ENOSPC", "fallocate": "ENOSPC EIO", "syncfs": "EIO",
	"stat": FILES, "fstat": FILES, "lstat": FILES, "newfstatat": FILES, "statx": FILES, "statfs": "EIO",
	"fstatfs": "EIO", "readlink": FILES, "readlinkat": FILES, "access": FILES, "faccessat": FILES,
	"faccessat2": FILES, "getxattr": "EIO", "fgetxattr": "EIO", "listxattr": "EIO", "flistxattr": "EIO",
	"fsetxattr": "ENOSPC EIO", "fremovexattr": "EIO",
	"linkat": NAMES, "renameat": NAMES, "renameat2": NAMES, "mkdirat": NAMES, "mknodat": NAMES, "symlinkat": NAMES,
	"unlink": NAMES, "unlinkat": NAMES, "rmdir": NAMES, "utimensat": "EIO EROFS",
	"chmod": "EPERM EROFS", "fchmod": "EPERM EROFS", "fchmodat": "EPERM EROFS", "fchown": "EPERM EROFS", "fchownat": "EPERM EROFS",
	"fcntl": "ENOLCK EINTR", "flock": "ENOLCK EINTR", "ioctl": "EIO ENOMEM",
	"mmap": "ENOMEM", "munmap": "ENOMEM", "mprotect": "ENOMEM", "madvise": "ENOMEM", "mremap": "ENOMEM", "brk": "",
	"socket": "EMFILE ENOBUFS", "socketpair": "EMFILE ENOBUFS", "bind": "ENOMEM ENOBUFS", "listen": "EADDRINUSE",
	"connect": "EAGAIN ECONNREFUSED EINTR", "accept4": "EMFILE",
	"getsockname": "ENOBUFS", "getsockopt": "ENOMEM", "setsockopt": "ENOMEM EPERM", "getpeername": "ENOBUFS",
	"sendto": "ENOBUFS EINTR EPERM", "sendmsg": "ENOBUFS EINTR", "recvfrom": "ENOBUFS EINTR",
	"recvmsg": "ENOBUFS EINTR ENOMEM", "shutdown": "ENOTCONN",
	"poll": "EINTR", "ppoll": "EINTR", "pipe2": "EMFILE ENFILE", "eventfd2": "EMFILE",
	"memfd_create": "EMFILE ENOMEM", "inotify_init1": "EMFILE", "inotify_add_watch": "ENOSPC",
	"clone": "EAGAIN ENOMEM", "clone3": "EAGAIN ENOMEM", "fork": "EAGAIN ENOMEM", "vfork": "EAGAIN ENOMEM",
	"execve": "ENOMEM EACCES ETXTBSY", "wait4": "EINTR", "waitid": "EINTR", "kill": "EPERM", "setpgid": "EPERM",
	"setsid": "EPERM", "pidfd_open": "EMFILE ENOMEM", "pidfd_send_signal": "EPERM", "getpgid": "EPERM",
	"setns": "ENOMEM EPERM", "unshare": "ENOMEM EPERM", "fchdir": "EACCES", "chdir": "EACCES", "umask": "",
	"prctl": SETTING, "capget": SETTING, "capset": SETTING, "prlimit64": SETTING, "setrlimit": SETTING,
	"getrlimit": "", "setitimer": "", "rt_sigaction": "", "rt_sigprocmask": "", "sigaltstack": "ENOMEM",
	"seccomp": "ENOMEM", "bpf": "ENOMEM EPERM", "close_range": "ENOMEM", "landlock_create_ruleset": "EMFILE", "landlock_add_rule": "ENOMEM",
	"landlock_restrict_self": "EPERM", "getrandom": "EINTR", "uname": "", "sysinfo": "", "getcwd": "ENOMEM",
	"getpid": "", "getppid": "", "gettid": "", "getuid": "", "geteuid": "", "getgid": "", "getegid": "",
	"tgkill": "", "exit": "", "exit_group": "", "rt_sigreturn": "", "clock_nanosleep": "EINTR", "futex": "",
	"sched_yield": "", "sched_getaffinity": "", "set_robust_list": "", "set_tid_address": "", "rseq": "",
	"arch_prctl": "", "getresuid": "", "getresgid": "", "clock_gettime": "", "gettimeofday": "", "alarm": "",
}
# Those that last: a disk that is full or ill, a table that is full, a permission that is missing.
LASTING = {"EIO", "ENOMEM", "EACCES", "EMFILE", "ENOSPC", "EROFS", "EPERM", "ENOLCK", "ENOBUFS"}

# What no fault of the node's makes true: the configuration is wrong, there is no such thing, it differs.
ACCUSING = {1, 2, 3, 4, 6, 7, 101, 103}

# What a record has only where it could be asked for, and does without otherwise.
ASKED = {"getsockopt": "netnsCookie", "ioctl": "settings"}

libc = ctypes.CDLL(None, use_errno=True)


def names_of_calls():
	"""By number, as linux/unistd.h of this machine has them."""
	ask = subprocess.run(["cpp", "-dM"], input="#include <sys/syscall.h>\n", capture_output=True, text=True, check=True)
	return {int(n): name for name, n in re.findall(r"^#define __NR_(\w+) (\d+)$", ask.stdout, re.M)}


# -- what there is --

class Space:
	"""A network namespace, seen through a socket of ours in it."""

	LINKS, ADDRS, ROUTES = 18, 22, 26
	# of a link: address, name, mtu, its other end, qdisc, master, queue, kind, alias, VFs, XDP, other names
	MEANT = {1, 3, 4, 5, 6, 10, 13, 18, 20, 22, 43, 52}
	WITH_VFS = struct.pack("=HHI", 8, 29, 1 | 8)	# and without their counters
	DONE, ERROR = 3, 2
	RUNNING = 0x40 | 0x10000 | 0x20000 | 0x100	# and IFF_PROMISC, which a bridge sets

	def __init__(self, fd):
		home = os.open("/proc/self/ns/net", os.O_RDONLY)
		if fd is not None and libc.setns(fd, 0) < 0:
			sys.exit("sweep.py: setns: " + os.strerror(ctypes.get_errno()))
		self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
		self.socket.bind((0, 0))
		libc.setns(home, 0)
		os.close(home)

	def dump(self, kind, header):
		self.socket.send(struct.pack("=IHHII", 16 + len(header), kind, 0x301, 1, 0) + header)
		while True:
			data = self.socket.recv(1 << 20)
			while data:
				length, what = struct.unpack_from("=IH", data)
				if what == self.DONE:
					return
				if what == self.ERROR:
					raise OSError("a dump was refused")
				yield data[16:length]
				data = data[length + 3 & ~3:]

	@staticmethod
	def attributes(data):
		while len(data) >= 4:
			length, kind = struct.unpack_from("=HH", data)
			yield kind & 0x3fff, data[4:length]
			data = data[length + 3 & ~3:]

	def link(self, data):
		kind, index, flags = struct.unpack_from("=xxHiI", data)
		has = {k: v for k, v in self.attributes(data[16:]) if k in self.MEANT}
		if not flags & 1:
			has.pop(6, None)
		if 18 in has:	# of what kind it is; a bridge's timers run
			has[18] = [v for k, v in self.attributes(has[18]) if k == 1]
		return f"link {has.pop(3, b'?').rstrip(bytes(1)).decode()} {kind} {index} {flags & ~self.RUNNING:x} {sorted(has.items())}"

	def address(self, data):
		index, = struct.unpack_from("=4xI", data)
		# not until when it is valid, nor since when it is there
		return f"address {index} {data[0]}/{data[1]} {sorted(a for a in self.attributes(data[8:]) if a[0] not in (6, 8))}"

	def route(self, data):
		if data[4] in (0, 255) or data[7] in (5,):	# the table "local", multicast
			return None
		return f"route {data[:8].hex()} {sorted(a for a in self.attributes(data[12:]) if a[0] != 12)}"

	def lines(self):
		yield from (self.link(d) for d in self.dump(self.LINKS, struct.pack("=BxHiII", 0, 0, 0, 0, 0) + self.WITH_VFS))
		yield from (self.address(d) for d in self.dump(self.ADDRS, struct.pack("=BBBBI", 0, 0, 0, 0, 0)))
		yield from filter(None, (self.route(d) for d in self.dump(self.ROUTES, bytes(12))))


IGNORED = re.compile(r"/(last_reserved_ip\..*|lock|calls\.log)$|/(state|devinfo)/(pods|index)(/|$)")


def files(folders):
	for folder in folders:
		for at, dirs, names in os.walk(folder):
			for name in dirs + names:
				path = os.path.join(at, name)
				if IGNORED.search(path):
					continue
				try:
					st = os.lstat(path)
					text = open(path, errors="replace").read().rstrip() if stat.S_ISREG(st.st_mode) else ""
				except FileNotFoundError:	# it has gone since it was listed
					continue
				yield f"file {path} {st.st_mode:o} {st.st_uid}:{st.st_gid} {text}"


# -- one call of the plugin --

class Call:
	"""What it has said: out, err, status (128 and more: a signal), took, left (processes)."""

	def __init__(self, argv, env, request):
		self.out, self.err = "", ""
		fds = [os.memfd_create(n) for n in ("in", "out", "err", "report")]
		os.write(fds[0], request.encode())
		os.lseek(fds[0], 0, 0)
		actions = [(os.POSIX_SPAWN_DUP2, fd, n) for n, fd in enumerate(fds)]
		begun = time.monotonic()
		self.pid = os.posix_spawn(argv[0], argv, env, file_actions=actions, setsigdef=[signal.SIGPIPE])
		self.status = self.wait(begun)
		self.took = time.monotonic() - begun
		self.left = self.reap()
		self.out, self.err, self.report = (self.text(fd) for fd in fds[1:])
		for fd in fds:
			os.close(fd)

	@staticmethod
	def text(fd):
		return os.pread(fd, 1 << 24, 0).decode(errors="replace")

	def wait(self, begun):
		pidfd = os.pidfd_open(self.pid)
		ready = select.select([pidfd], [], [], LIMIT_S + 5)[0]
		os.close(pidfd)
		if not ready:
			os.kill(self.pid, signal.SIGKILL)
		code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
		return code if code >= 0 else 128 - code

	@staticmethod
	def reap():
		"""Those whose parent has died are ours: they end soon."""
		until = time.monotonic() + SETTLE_S
		while True:
			try:
				pid = os.waitpid(-1, os.WNOHANG)[0]
			except ChildProcessError:
				return False
			if pid == 0 and time.monotonic() > until:
				return True
			if pid == 0:
				time.sleep(0.002)


Point = collections.namedtuple("Point", "verb kind what options preload killed")


class Sweep:
	def __init__(self, scene):
		self.scene = scene
		self.position = scene["position"]
		self.dir, self.tools = scene["dir"], scene["tools"]
		self.names = names_of_calls()
		self.only = os.environ.get("ONLY") or "*"
		self.many = os.environ.get("N") or "all"
		self.chance = random.Random(int(os.environ.get("SEED") or 1))
		self.bad, self.said, self.unknown = 0, collections.Counter(), set()
		libc.prctl(36, 1, 0, 0, 0)	# PR_SET_CHILD_SUBREAPER
		self.pod_fd = os.open(scene["pod"], os.O_RDONLY)
		self.netns = os.path.join(self.dir, "netns")
		libc.umount2(self.netns.encode(), 2)	# of a run that has failed
		self.env = {**os.environ, **scene["env"], "CNI_NETNS": self.netns}
		for name in ("ONLY", "N", "SEED"):
			self.env.pop(name, None)
		self.requests = {verb: json.dumps(r, separators=(",", ":")) for verb, r in scene["requests"].items()}
		self.revive(first=True)
		self.spaces = {"node": Space(None), "pod": Space(self.pod_fd)}

	# -- the scene --

	def shell(self, script):
		if script:
			subprocess.run(["bash", "-ec", script], check=True)

	def bury(self):
		"""The namespace is gone, and the kernel has brought home or destroyed what was in it."""
		self.shell(self.scene.get("bury"))
		libc.umount2(self.netns.encode(), 2)
		os.unlink(self.netns)

	def revive(self, first=False):
		open(self.netns, "w").close()
		if libc.mount(f"/proc/self/fd/{self.pod_fd}".encode(), self.netns.encode(), None, 4096, None) < 0:
			sys.exit("sweep.py: mount: " + os.strerror(ctypes.get_errno()))
		if not first:
			self.shell(self.scene.get("revive"))

	def see(self, spaces=("node", "pod")):
		lines = [f"{name}: {line}" for name in spaces for line in self.spaces[name].lines()]
		names = [f"name {path}" for pattern in self.scene.get("names", ()) for path in glob.glob(pattern)]
		return sorted(lines + names + list(files(self.scene["folders"])))

	def differs(self, want, spaces=("node", "pod")):
		"""What does for good; what the kernel does later is awaited."""
		until = time.monotonic() + SETTLE_S
		while True:
			have = self.see(spaces)
			if have == want:
				return None
			if time.monotonic() > until:
				break
			time.sleep(0.005)
		return "; ".join(["- " + x for x in want if x not in have] + ["+ " + x for x in have if x not in want])[:3000]

	def call(self, verb, options=(), preload=None):
		env = {**self.env, "CNI_COMMAND": verb, **(preload or {})}
		if preload:
			argv = [self.scene["plugin"]]
		else:
			argv = ([self.tools + "/sysfault", *map(str, options)] if options else []) + [self.scene["plugin"]]
		return Call(argv, env, self.requests[verb])

	def works(self, verb):
		c = self.call(verb)
		if c.status != 0 or (verb not in ("ADD", "VERSION") and c.out):
			raise RuntimeError(f"{verb} without a fault: status {c.status}: {c.out}{c.err}")
		return c

	def prepare(self):
		"""How it is before and after an ADD; the second one of each, for directories are made once."""
		for _ in range(2):
			added = self.works("ADD")
			self.attached = self.see()
			self.works("DEL")
			self.clean = self.see()
		self.clean_home = [x for x in self.clean if not x.startswith("pod:")]
		self.answer = {"ADD": added.out, "VERSION": self.works("VERSION").out}
		check = json.loads(self.requests["CHECK"])
		check["prevResult"] = json.loads(added.out)
		self.requests["CHECK"] = json.dumps(check, separators=(",", ":"))
		self.works("STATUS")
		self.is_attached = False

	# -- the points of a verb --

	def until_fault(self, verb):
		"""Bring about what it is called in, from what there is."""
		if verb in ("CHECK", "DEL", "GC") and not self.is_attached:
			self.works("ADD")
		if verb in ("ADD", "STATUS", "VERSION") and self.is_attached:
			self.works("DEL")
		self.is_attached = verb in ("CHECK", "DEL", "GC")
		if verb == "GC":
			self.bury()

	def undone(self, verb):
		"""A DEL without a fault, after which nothing is left; what is wrong with that."""
		d = self.call("DEL")
		diff = self.differs(self.clean_home, ("node",)) if verb == "GC" else self.differs(self.clean)
		if d.status != 0 or d.out:
			return f"the next DEL: status {d.status}: {d.out}"
		return f"the next DEL leaves: {diff}" if diff else ""

	def after_fault(self, verb):
		"""What is there now; what an attachment has left goes, if there is anything."""
		why = ""
		spaces, clean = (("node",), self.clean_home) if verb == "GC" else (("node", "pod"), self.clean)
		now = self.see(spaces)
		self.is_attached = verb != "GC" and now == self.attached
		if not self.is_attached and now != clean:
			why = self.undone(verb)
		if verb == "GC":
			self.revive()
			why = why or self.differs(self.clean) or ""
		return why

	def measured(self, verb, options=(), preload=None):
		self.until_fault(verb)
		c = self.call(verb, options, preload)
		if c.status != 0:
			raise RuntimeError(f"{verb} under {options}: {c.out}{c.err}")
		self.after_fault(verb)
		return c.report

	def calls(self, verb, *options):
		"""The calls by name and number among those of the same name, from the first of main() on."""
		count, main = collections.Counter(), bool(options)
		for line in self.measured(verb, [*options, "list"]).splitlines():
			nr = int(line.split()[0])
			name = self.names.get(nr, str(nr))
			count[name] += 1
			main = main or name == "poll"	# whether there are the descriptors 0 to 2
			if main:
				yield nr, name, count[name]

	def errors(self, calls):
		for nr, name, n in calls:
			if name not in PLAUSIBLE:
				self.unknown.add(name)
			for e in PLAUSIBLE.get(name, "").split():
				yield nr, name, n, e

	def points(self, verb):
		calls = list(self.calls(verb))
		children = list(self.calls(verb, "children"))
		for nr, name, n, e in self.errors(calls):
			number = getattr(errno, e)
			yield Point(verb, "error", f"{name}.{n}.{e}", ("of", nr, "fail", n, number), None, False)
			if e in LASTING:
				yield Point(verb, "lasting", f"{name}.{n}.{e}", ("of", nr, "fail", f"{n}+", number), None, False)
		for nr, name, n, e in self.errors(children):
			yield Point(verb, "child", f"{name}.{n}.{e}", ("children", "of", nr, "fail", n, getattr(errno, e)), None, False)
		for nr, name, n in children:
			yield Point(verb, "child", f"{name}.{n}.KILL", ("children", "of", nr, "kill", n), None, False)
		for nr, name, n in calls:
			yield Point(verb, "kill", f"{name}.{n}", ("of", nr, "kill", n), None, True)
		count = os.path.join(self.dir, "count")
		self.measured(verb, preload=self.preload("allocfail", COUNT=count))
		for n in range(1, int(open(count).read()) + 1):
			yield Point(verb, "memory", str(n), (), self.preload("allocfail", AT=n), False)
		self.measured(verb, preload=self.preload("answers", COUNT=count))
		for kind in ("lost", "late", "twice"):
			for n in range(1, int(open(count).read()) + 1):
				yield Point(verb, kind, str(n), (), self.preload("answers", **{kind.upper(): n}), False)

	def preload(self, tool, **options):
		prefix = {"allocfail": "ALLOCFAIL", "answers": "ANSWER"}[tool]
		return {"LD_PRELOAD": f"{self.tools}/{tool}.so", **{f"{prefix}_{k}": str(v) for k, v in options.items()}}

	# -- judging --

	def judge_words(self, p, c):
		"""What it has said; "" if that is right."""
		if c.took > LIMIT_S:
			return f"took {c.took:.1f} s"
		if c.left:
			return "a process is left"
		if c.status > 128 and not (p.killed and c.status == 137):
			return f"ended by signal {c.status - 128}"
		if c.status == 137:
			return "" if not c.out or self.one_document(c.out) else "killed, and half an answer"
		if c.status == 0:
			return self.judge_success(p.verb, c)
		return self.judge_error(p, c)

	def judge_success(self, verb, c):
		if c.out != self.answer.get(verb, ""):
			return "succeeded with another answer"
		return ""

	def judge_error(self, p, c):
		doc = self.one_document(c.out)
		if not doc and not c.out and "write" in p.what and p.kind in ("error", "lasting"):
			return ""	# to stdout, which nobody can be told then
		if not doc or c.status != 1:
			return f"exit status {c.status} and no error document"
		if not isinstance(doc.get("code"), int) or doc["code"] <= 0 or not doc.get("msg"):
			return "an error without code or message"
		self.said[f"{p.verb} {doc['code']} {doc['msg']}"] += 1
		if doc["code"] in ACCUSING:
			return f"blames something else: code {doc['code']}"
		return ""

	@staticmethod
	def one_document(text):
		try:
			doc = json.loads(text)
		except ValueError:
			return None
		return doc if isinstance(doc, dict) else None

	@staticmethod
	def owns_up(c):
		"""It says that the next DEL has to undo it: the roll-back failed as well, or had no memory."""
		return "undoing it: " in c.out or "DEL undoes what this call did" in c.out

	def without(self, member, lines):
		return [re.sub(rf'"{member}":({{[^{{}}]*}}|[^,{{}}]*),?', "", x) if "/attachments/" in x or "/networks/" in x else x for x in lines]

	def judge_state(self, p, c):
		"""What it leaves by itself, before a DEL without a fault; "" if that is right."""
		home = p.verb == "GC"
		if c.status == 137:
			return ""
		if c.status == 0:
			want = {"ADD": self.attached, "CHECK": self.attached}.get(p.verb, self.clean)
		elif p.verb in ("CHECK", "STATUS", "VERSION"):
			want = self.attached if p.verb == "CHECK" else self.clean
		elif p.verb == "ADD" and not (p.kind in ("lasting", "memory") and self.owns_up(c)):
			want = self.clean
		else:
			return ""	# the next DEL ends it
		member = ASKED.get(p.what.split(".")[0])
		if member and self.without(member, self.see()) == self.without(member, want):
			return ""
		diff = self.differs(self.clean_home, ("node",)) if home else self.differs(want)
		return f"status {c.status}, and not as it should be: {diff}" if diff else ""

	def logged(self, at):
		try:
			with open(os.path.join(self.dir, "log"), errors="replace") as f:
				f.seek(at)
				return f.read()
		except FileNotFoundError:
			return ""

	def is_told(self, p, log):
		"""
		What stays is in the log: what a pod may have put in the way, by EACCES and EPERM of its files
		(socket_clear.c); of a GC a record that could not be read, which the next GC sees; and of a
		dead container what its plugin has, which is in no directory that we may look at, is not to be
		executed, or was killed: it is asked once, and what is gone for good is not to keep a device for ever.
		"""
		if p.what.endswith("EACCES") and "is in no directory of CNI_PATH" in log:
			return True
		if p.verb == "GC" and p.what.endswith(("KILL", "EACCES")) and "has, or may have, nothing left" in log:
			return True
		if p.verb == "GC" and ("a record is passed over" in log or "networks is passed over" in log):
			return True
		return p.what.endswith(("EACCES", "EPERM")) and self.position in ("vhost-user", "memif") and "kept" in log

	def try_point(self, p):
		self.until_fault(p.verb)
		at = len(self.logged(0))
		c = self.call(p.verb, p.options, p.preload)
		log = self.logged(at)
		words = self.judge_words(p, c)
		why = "; ".join(filter(None, (words, self.judge_state(p, c), self.after_fault(p.verb))))
		told = not why or self.is_told(p, log or c.err)	# where no log file is set
		if not told:
			print(f"# BAD {self.name(p)}: {why}\n#   said (status {c.status}): {c.out.strip()} {c.err.strip()}", flush=True)
			print(f"#   log: {log.strip()}", flush=True)
		if why:
			self.call("DEL")
			self.shell(self.scene.get("sweep_out"))
			self.prepare()		# and goes on with what is there then
		return told

	def name(self, p):
		return f"{self.position}/{p.verb}/{p.kind}/{p.what}"

	# -- all of it --

	def chosen(self, points):
		points = [p for p in points if fnmatch.fnmatch(self.name(p), self.only) or self.name(p).startswith(self.only)]
		if self.many == "all" or len(points) <= int(self.many):
			return points
		step = len(points) / int(self.many)
		at = self.chance.random() * step
		return [points[int(at + n * step)] for n in range(int(self.many))]

	def sweep_verb(self, verb):
		by_kind = collections.defaultdict(list)
		for p in self.points(verb):
			by_kind[p.kind].append(p)
		for kind in KINDS:
			chosen = self.chosen(by_kind[kind])
			bad = sum(not self.try_point(p) for p in chosen)
			self.bad += bad
			if chosen:
				print(f"# | {self.position} | {verb} | {kind} | {len(chosen)} of {len(by_kind[kind])} | {bad} bad |", flush=True)

	def run(self):
		self.prepare()
		for verb in self.scene.get("verbs", VERBS):
			if "/" not in self.only or fnmatch.fnmatch(verb, self.only.split("/")[1] or "*"):
				self.sweep_verb(verb)
		for name in sorted(self.unknown):
			print(f"# BAD {self.position}: the table has no errno for the system call {name}")
		if os.environ.get("V"):
			for text, n in sorted(self.said.items()):
				print(f"# {n:4} {text}")
		return self.bad + len(self.unknown)


if __name__ == "__main__":
	sys.exit(1 if Sweep(json.load(sys.stdin)).run() else 0)
