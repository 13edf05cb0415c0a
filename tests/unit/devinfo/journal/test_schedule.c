/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_schedule.c - random schedules of ADD, DEL, retry and crash against journal and ledger
 *
 * 3 pods with up to 4 of 4 devices, with ids of every kind, several attachments a pod, new
 * sandboxes, reboots, on the real files and locks.  An ADD here is what cni/attach/probe.c makes of
 * it: the attachment's lock, the ledger, the device's lock, the journal, the record.  The
 * first part is one process that takes the calls at work a step at a time, in random order,
 * and a crash is a call whose descriptors are closed.  The second part is four processes at
 * once.
 *
 * SEED=n runs the schedule that was reported under this number first.
 */
#include "base/mem.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/ledger_file.h"
#include "devinfo/journal/owner.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
	SCHEDULES = 300, MOVES = 140, CALLS = 5,
	PARALLEL = 80, ROUNDS = 6,	/* one process a network */
	PODS = 3, DEVICES = 4, NETS = 4, BOXES = NETS * ROUNDS,
	CODES = 1 + PODS * NETS * BOXES,
};

/* A PCI function, one that only another plugin knows, a network device, a sub-function's. */
static const char *const devices[DEVICES] = { "0000:01:00.0", "socket-1", "v2", "mlx5_core.sf.3" };
static const struct {
	const char *network, *ifname;
} nets[NETS] = { { "default", "eth0" }, { "a", "net1" }, { "a", "net2" }, { "b", "net3" } };

/* An attachment: which pod, which of its networks, in which sandbox. */
struct att {
	int pod, net, box;
};

/* What is true, for the processes of the second part as well. */
static struct world {
	_Atomic int owner[DEVICES];		/* code of whose record it is in, 0 for nobody's */
	_Atomic bool dead[PODS][BOXES];		/* the sandbox's namespace is gone */
	_Atomic bool complete[CODES];		/* its ADD was answered */
	_Atomic int home[CODES];		/* the device that it was answered with */
} *w;

/* How often something happened, of what must not happen (bad) and of what must. */
static struct counts {
	_Atomic int bad, adds, reasks, waits, refused, crashes, retries, moved, taken_over;
} *count;

static pthread_barrier_t *meeting;	/* of the processes */
static struct host host;
static char dir[64];
static unsigned int seed;			/* of this schedule */
static uint64_t state;

static unsigned int any(unsigned int below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(state >> 33) % below;
}

static void fail(const char *what, const struct att *a)
{
	count->bad++;
	(void)printf("# SEED=%u: %s", seed, what);
	if (a)
		(void)printf(" (pod %d, %s, sandbox %d)", a->pod, nets[a->net].ifname, a->box);
	(void)printf("\n");
	(void)fflush(stdout);
}

static int code_of(const struct att *a)
{
	return 1 + (a->pod * NETS + a->net) * BOXES + a->box;
}

static struct att att_of(int code)
{
	code--;
	return (struct att){
		.pod = code / (NETS * BOXES), .net = code / BOXES % NETS, .box = code % BOXES
	};
}

static bool is_dead(int code)
{
	struct att a = att_of(code);

	return w->dead[a.pod][a.box];
}

/* The text is borrowed from a table. */
static struct owner owner_of(const struct att *a)
{
	static char ids[PODS][BOXES][16];
	char *id = ids[a->pod][a->box];

	(void)snprintf(id, 16, "pod%d-box%d", a->pod, a->box);
	return (struct owner){
		.network = nets[a->net].network,
		.ifname = nets[a->net].ifname,
		.container_id = id,
		.netns = "/n",
	};
}

static int code_of_owner(const struct owner *o)
{
	struct att a;

	if (sscanf(o->container_id, "pod%d-box%d", &a.pod, &a.box) != 2)
		return 0;
	for (a.net = 0; a.net < NETS; a.net++)
		if (strcmp(nets[a.net].ifname, o->ifname) == 0)
			return code_of(&a);
	return 0;
}

static int device_index(const char *id)
{
	return id[strlen(id) - 1] - '0';
}

/* As cni/attach/attach.c records it; the last one by a name that its id is not. */
static void name_device(struct record *rec, int device)
{
	static const char *const keys[DEVICES] = { "0000:01:00.0", "", "v2", "ens3" };

	rec->device_id = devices[device];
	(void)snprintf(rec->device, sizeof(rec->device), "%s", keys[device]);
	rec->is_pci = device == 0;
	rec->chained = device == 1;
	if (device != 3)
		return;
	rec->device_id = NULL;
	rec->netdev = (struct netdev_state){
		.present = true, .name = "ens3", .ifindex = 3, .bus = "auxiliary",
		.parent = "mlx5_core.sf.3", .mtu = 1500,
	};
}

static int device_of(const struct record *rec)
{
	return device_index(rec->device_id ? rec->device_id : rec->netdev.parent);
}

/* -- the pods -- */

static struct kubelet {
	char uid[32], name[16];
	const char *ids[DEVICES];	/* what kubelet has given it */
	size_t n;
} kubelet[PODS];

static struct pod pod_of(int pod)
{
	return (struct pod){
		.name_space = "test", .name = kubelet[pod].name, .uid = kubelet[pod].uid
	};
}

/* Of `from` on, with `size` devices; a terminated pod may still have some of them. */
static void allocate(int pod, unsigned int from, unsigned int size)
{
	struct kubelet *k = &kubelet[pod];

	(void)snprintf(k->name, sizeof(k->name), "pod%d", pod);
	(void)snprintf(k->uid, sizeof(k->uid), "uid-%d-%u", pod, any(1000000));
	k->n = 0;
	for (unsigned int i = 0; i < DEVICES; i++)
		if ((i + DEVICES - from) % DEVICES < size)
			k->ids[k->n++] = devices[i];
}

/* -- an ADD and a DEL in steps -- */

enum next { NEXT, AGAIN, BACK, END };	/* go on; the same once more; ask the ledger again; done */

struct call {
	bool used, del;
	unsigned int step, tries;
	struct att a;
	struct journal j;
	struct owner o;
	int device;
	int result;			/* of the last ledger_assign() */
	enum err_code code;
};

static bool is_alive(const struct record *rec)
{
	int code = code_of_owner(&rec->owner);

	return code && !is_dead(code);
}

static int is_live_other(struct record *rec, void *arg, struct err *e)
{
	const struct call *c = arg;

	(void)e;
	return is_alive(rec) && !owner_equal(&rec->owner, &c->o);
}

/* As resolve_holder() looks. */
static int taken(const char *id, void *arg, struct err *e)
{
	struct call *c = arg;

	return device_ref_each(&host, &c->j, id, is_live_other, c, e);
}

static struct deadline patience(void)
{
	return deadline_in(host.set.lock_timeout_ms);
}

static bool is_of_this_boot(const struct record *rec)
{
	struct err e;

	return owner_this_boot(&host, rec, &e) > 0;
}

/* With the device's lock held.  A record of another boot may have been passed over. */
static void disown(const struct record *rec)
{
	int code = code_of_owner(&rec->owner), owner = code, d = device_of(rec);

	if (rec->released || atomic_compare_exchange_strong(&w->owner[d], &owner, 0))
		return;
	if (is_of_this_boot(rec))
		fail("a record was removed of a device that is another's", NULL);
}

/* Under the attachment's lock: 1 when a record was removed, 0, -1. */
static int remove_record(struct call *c, struct err *e)
{
	auto_record struct record old = { 0 }, now = { 0 };
	struct deadline d = patience();
	int r = journal_find(&c->j, &c->o, &old, e);

	if (r <= 0)
		return r;
	if (journal_lock_device(&c->j, devices[device_of(&old)], &d, e) < 0)
		return -1;
	r = journal_get(&c->j, &old, &now, e);	/* it may be released by now */
	if (r > 0) {
		w->complete[code_of(&c->a)] = false;
		disown(&now);
		r = journal_remove(&c->j, &now, e) < 0 ? -1 : 1;
	}
	journal_unlock_device(&c->j, devices[device_of(&old)]);
	return r;
}

static enum next call_lock(struct call *c, struct err *e)
{
	struct deadline d = patience();

	if (!c->del && is_dead(code_of(&c->a)))
		return END;		/* no namespace, no ADD */
	if (journal_open(&host, JOURNAL_CREATE, &c->j, e) != 1)
		return END;
	return journal_lock_attachment(&c->j, &c->o, &d, e) < 0 ? END : NEXT;
}

static enum next add_undo(struct call *c, struct err *e)
{
	int code = code_of(&c->a);
	int r;

	if (w->complete[code] && !is_dead(code))
		return END;		/* attached already */
	do
		r = remove_record(c, e);
	while (r > 0);
	return r < 0 ? AGAIN : NEXT;
}

static enum next add_assign(struct call *c, struct err *e)
{
	const struct kubelet *k = &kubelet[c->a.pod];
	struct pod pod = pod_of(c->a.pod);
	struct ledger_ask ask = {
		.pod = &pod, .who = &c->o, .resource = "intel.com/vf", .ids = k->ids, .n = k->n,
		.taken = taken, .arg = c,
	};
	struct ledger_choice choice;

	c->result = ledger_assign(&host, &c->j, &ask, &choice, e);
	if (c->result > 0)
		c->device = device_index(k->ids[choice.index]);
	c->code = c->result < 0 ? e->code : ERR_OK;
	return c->result > 0 ? NEXT : c->result == 0 ? END : AGAIN;
}

static enum next add_lock_device(struct call *c, struct err *e)
{
	struct deadline d = patience();

	return journal_lock_device(&c->j, devices[c->device], &d, e) < 0 ? AGAIN : NEXT;
}

/* As cni/attach/probe.c looks at each attachment that has the device. */
static int look_at_owner(struct record *old, void *arg, struct err *e)
{
	const struct call *c = arg;

	if (owner_equal(&old->owner, &c->o))
		return 0;
	if (is_alive(old))
		return 1;
	disown(old);
	old->released = true;	/* the dead one's own DEL finds the record */
	return journal_write(&c->j, old, e);
}

static enum next add_claim(struct call *c, struct err *e)
{
	int r = device_ref_each(&host, &c->j, devices[c->device], look_at_owner, c, e);

	if (r > 0) {
		journal_unlock_device(&c->j, devices[c->device]);
		count->reasks++;
		return BACK;
	}
	return r < 0 ? END : NEXT;
}

static enum next add_write(struct call *c, struct err *e)
{
	struct record rec = {
		.owner = c->o, .devinfo_dir = "/d", .run_dir = "/r",
	};
	int before;

	name_device(&rec, c->device);
	if (journal_boot_id(&host, rec.boot_id, e) < 0 || journal_write(&c->j, &rec, e) < 0)
		return END;
	before = atomic_exchange(&w->owner[c->device], code_of(&c->a));
	if (before && !is_dead(before))
		fail("a device with two attachments", &c->a);
	return NEXT;
}

static enum next add_answer(struct call *c, struct err *e)
{
	int code = code_of(&c->a);

	(void)e;
	w->complete[code] = true;
	w->home[code] = c->device;
	count->adds++;
	return END;
}

static enum next del_remove(struct call *c, struct err *e)
{
	int r = remove_record(c, e);

	return r < 0 ? AGAIN : r > 0 ? BACK : END;	/* there may be another one */
}

typedef enum next step_fn(struct call *c, struct err *e);
static step_fn *const add_steps[] = { call_lock, add_undo, add_assign, add_lock_device, add_claim,
				      add_write, add_answer };
static step_fn *const del_steps[] = { call_lock, del_remove };
enum { ASSIGN = 2, REMOVE = 1 };

static void call_end(struct call *c)
{
	journal_done(&c->j);
	*c = (struct call){ .j = { .dir = -1, .lock = -1 } };
}

static struct call call_start(const struct att *a, bool del)
{
	return (struct call){
		.used = true, .del = del, .a = *a, .o = owner_of(a), .j = { .dir = -1, .lock = -1 }
	};
}

static enum next call_step(struct call *c)
{
	struct err e;
	enum next r = (c->del ? del_steps : add_steps)[c->step](c, &e);

	c->tries++;
	if (r == NEXT)
		c->step++;
	if (r == BACK)
		c->step = c->del ? REMOVE : ASSIGN;
	return r;
}

/* -- a schedule of one process -- */

static struct call calls[CALLS];
static int box[PODS];			/* the pod's newest sandbox */
static int had[PODS][NETS];		/* what the attachment was given last, -1 for nothing */
static int given_box[PODS][NETS], given_boot[PODS][NETS];	/* for which, and in which */
static int boot;
static bool lossy;			/* ledgers get lost in this schedule */

static bool has_device(int pod, int device)
{
	for (size_t i = 0; i < kubelet[pod].n; i++)
		if (device_index(kubelet[pod].ids[i]) == device)
			return true;
	return false;
}

static bool is_live_elsewhere(const struct call *c, int device)
{
	int code = w->owner[device];

	return code && code != code_of(&c->a) && !is_dead(code);
}

/* Is a call at work on this attachment, and has its lock? */
static const struct call *at_work(const struct att *a, const struct call *but)
{
	for (int i = 0; i < CALLS; i++)
		if (&calls[i] != but && calls[i].used && calls[i].step > 0 &&
		    code_of(&calls[i].a) == code_of(a))
			return &calls[i];
	return NULL;
}

static void check_retry(const struct call *c)
{
	int h = had[c->a.pod][c->a.net];

	if (h < 0)
		return;
	count->retries++;
	if (h == c->device)
		return;
	count->moved++;
	if (has_device(c->a.pod, h) && !is_live_elsewhere(c, h))
		fail("a retry got another device although its own was free", &c->a);
}

/* Who loses the device has no call at work, and gave way for want of another. */
static void check_taken_over(const struct call *c)
{
	for (int net = 0; net < NETS; net++) {
		struct att other = { c->a.pod, net, given_box[c->a.pod][net] };

		if (net == c->a.net || had[c->a.pod][net] != c->device)
			continue;
		count->taken_over++;
		had[c->a.pod][net] = -1;
		if (given_boot[c->a.pod][net] == boot && at_work(&other, c))
			fail("a device was given away that is on its way to another", &other);
	}
}

/* Of how many devices others may keep it: those of the pod that are live or at work, and live ones
 * of other pods. */
static size_t count_kept(const struct call *c)
{
	bool seen[CODES] = { false };
	size_t n = 0;

	for (int d = 0; d < DEVICES; d++)
		if (has_device(c->a.pod, d) && is_live_elsewhere(c, d))
			seen[w->owner[d]] = true;
	for (int i = 0; i < CALLS; i++)
		if (&calls[i] != c && calls[i].used && calls[i].a.pod == c->a.pod &&
		    calls[i].step > 0)
			seen[code_of(&calls[i].a)] = true;
	for (int i = 0; i < CODES; i++)
		n += seen[i];
	return n;
}

static void check_assigned(const struct call *c)
{
	size_t have = kubelet[c->a.pod].n;

	if (c->result > 0) {
		if (is_live_elsewhere(c, c->device))
			fail("given what a live attachment has", &c->a);
		check_retry(c);
		check_taken_over(c);
		had[c->a.pod][c->a.net] = c->device;
		given_box[c->a.pod][c->a.net] = c->a.box;
		given_boot[c->a.pod][c->a.net] = boot;
		return;
	}
	if (c->result == 0)
		count->refused++;
	else if (c->code == ERR_TRY_AGAIN)
		count->waits++;
	else
		fail("the ledger failed", &c->a);
	if (count_kept(c) < have)
		fail("no device although there is one for each attachment", &c->a);
	for (size_t i = 0; c->result == 0 && i < have; i++)
		if (!is_live_elsewhere(c, device_index(kubelet[c->a.pod].ids[i])))
			fail("refused although not all devices are taken", &c->a);
}

struct tally {
	int by_code[CODES], devices;
};

static int tally(const struct record *rec, void *arg, struct err *e)
{
	struct tally *t = arg;
	int code = code_of_owner(&rec->owner), d = device_of(rec);
	struct att a = att_of(code);

	(void)e;
	if (rec->released || !is_of_this_boot(rec))
		return 0;
	if (t->by_code[code]++)
		fail("an attachment with two devices", &a);
	if (t->devices >> d & 1)
		fail("a device with two records", &a);
	t->devices |= 1 << d;
	if (w->owner[d] != code)
		fail("a record of what is another's", &a);
	if (w->complete[code] && !is_dead(code) && w->home[code] != d)
		fail("the device of a live attachment changed", &a);
	return 0;
}

/* The journal against what is true. */
static void check_journal(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct tally t = { .devices = 0 };
	struct err e;

	if (journal_open(&host, JOURNAL_READ, &j, &e) < 0 ||
	    (j.dir >= 0 && journal_each(&j, tally, &t, &e) < 0))
		fail(e.msg, NULL);
	for (int d = 0; d < DEVICES; d++) {
		struct att a = att_of(w->owner[d]);

		if (w->owner[d] && !is_dead(w->owner[d]) && !(t.devices >> d & 1))
			fail("a record was lost", &a);
	}
	for (int code = 1; code < CODES; code++) {
		struct att a = att_of(code);

		if (w->complete[code] && !is_dead(code) && w->owner[w->home[code]] != code)
			fail("a live attachment lost its device", &a);
	}
}

static void move_step(struct call *c)
{
	bool assigning = !c->del && c->step == ASSIGN;
	enum next r = call_step(c);

	if (assigning)
		check_assigned(c);
	if (r == END || c->tries > 40)
		call_end(c);
	check_journal();
}

static void move_start(struct call *c)
{
	struct att a = { .pod = (int)any(PODS), .net = (int)any(NETS) };

	a.box = box[a.pod];
	if (a.box > 0 && any(6) == 0)	/* of an older sandbox */
		a.box--;
	*c = call_start(&a, any(4) == 0);
}

static void set_boot(int id)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id", dir);
	f = fopen(path, "w");
	if (!f || fprintf(f, "boot-%d\n", id) < 0 || fclose(f) != 0)
		exit(1);
	boot = id;
}

static void forget_pod(int pod)
{
	for (int net = 0; net < NETS; net++)
		had[pod][net] = -1;
}

/* The file is cut off somewhere, or gone. */
static void lose(int pod)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	char name[256], path[400];
	struct pod of = pod_of(pod);
	struct stat st;
	struct err e;

	if (!lossy || journal_open(&host, JOURNAL_READ, &j, &e) <= 0 ||
	    ledger_file_name(j.key, &of, name, &e) < 0)
		return;
	(void)snprintf(path, sizeof(path), "%s%s/pods/%s", dir, host.set.state_dir, name);
	if (stat(path, &st) < 0)
		return;
	if (any(2) ? unlink(path) < 0 : truncate(path, any((unsigned int)st.st_size - 2)) < 0)
		exit(1);
	forget_pod(pod);
}

static void new_box(int pod)
{
	if (box[pod] + 1 == BOXES)
		return;
	if (any(4))
		w->dead[pod][box[pod]] = true;
	box[pod]++;
}

static void reboot(void)
{
	set_boot(boot + 1);
	for (int i = 0; i < CALLS; i++)
		call_end(&calls[i]);
	for (int p = 0; p < PODS; p++) {
		for (int b = 0; b <= box[p]; b++)
			w->dead[p][b] = true;
		new_box(p);
	}
}

/* Another pod of the same name; sandboxes of the old one may linger, its calls do not. */
static void replace_pod(int pod)
{
	new_box(pod);
	allocate(pod, any(DEVICES), 1 + any(DEVICES));
	forget_pod(pod);
	for (int i = 0; i < CALLS; i++)
		if (calls[i].used && calls[i].a.pod == pod)
			call_end(&calls[i]);
}

/* What happens around the calls. */
static void move_world(void)
{
	int pod = (int)any(PODS);
	unsigned int what = any(12);

	if (what == 0)
		reboot();
	else if (what == 1)
		replace_pod(pod);
	else if (what < 4)
		lose(pod);
	else if (what < 6)
		w->dead[pod][box[pod]] = true;
	else
		new_box(pod);
}

static void move(void)
{
	struct call *c = &calls[any(CALLS)];
	unsigned int what = any(100);

	if (what < 5) {
		move_world();
	} else if (!c->used) {
		move_start(c);
	} else if (what < 8) {
		count->crashes += c->step > 0;
		call_end(c);
	} else {
		move_step(c);
	}
}

static void schedule_new(unsigned int number, const char *kind)
{
	static char path[32];

	memset(box, 0, sizeof(box));
	for (int p = 0; p < PODS; p++)
		forget_pod(p);
	(void)snprintf(path, sizeof(path), "/%s%u", kind, number);
	host.set.state_dir = path;
	state = number * UINT64_C(2654435761) + 1;
	seed = number;
}

static void one_schedule(unsigned int number)
{
	unsigned int from;

	memset(w, 0, sizeof(*w));
	schedule_new(number, "one");
	host.set.lock_timeout_ms = 0;
	lossy = any(4) == 0;
	from = any(DEVICES);
	for (int p = 0; p < PODS; p++) {	/* disjoint, or not quite, or all the same */
		unsigned int size = 1 + any(any(2) ? 2 : DEVICES);

		allocate(p, from, size);
		from += any(3) ? size : 1;
	}
	set_boot(1);
	for (int i = 0; i < MOVES; i++)
		move();
	for (int i = 0; i < CALLS; i++)
		call_end(&calls[i]);
}

/* -- a schedule of one process for each network of a pod -- */

/* To its end, or to where it is killed: 1 when it got there. */
static int run(struct call *c, bool enough, int *mine)
{
	enum next r = NEXT;

	while (r == NEXT || r == BACK) {
		bool assigning = !c->del && c->step == ASSIGN;

		if (any(25) == 0) {
			count->crashes++;
			call_end(c);
			return 0;
		}
		r = call_step(c);
		if (enough && r == BACK && !c->del)
			fail("two ran for one device although there are others", &c->a);
		if (enough && (r == AGAIN || (assigning && r == END)))
			fail("an ADD had no device although there is one for each", &c->a);
		if (!enough || !assigning || r != NEXT)
			continue;
		if (*mine >= 0 && *mine != c->device)
			fail("an attachment got another device than before", &c->a);
		*mine = c->device;
	}
	count->refused += r == END && !c->del && c->step == ASSIGN;
	call_end(c);
	return 1;
}

static void run_network(int net, bool enough)
{
	struct att a = { .net = net, .box = net * ROUNDS };
	int mine = -1;

	for (int i = 0; i < ROUNDS; i++) {
		struct call c = call_start(&a, false);

		(void)run(&c, enough, &mine);
		if (any(3) == 0) {
			c = call_start(&a, true);
			(void)run(&c, enough, &mine);
		}
		if (i + 1 < ROUNDS && any(3) == 0) {
			w->dead[a.pod][a.box] = true;
			a.box++;
		}
	}
}

/* Who has a device at the end is who the ledger says. */
static void check_ledger(void)
{
	struct pod pod = pod_of(0);

	for (int d = 0; d < DEVICES; d++) {
		struct att a = att_of(w->owner[d]);
		struct ledger_entry n;
		struct owner o;
		struct err e;

		if (!w->owner[d] || is_dead(w->owner[d]))
			continue;
		o = owner_of(&a);
		if (ledger_find(&host, &pod, "intel.com/vf", devices[d], &n, &e) != 1 ||
		    strcmp(n.ifname, o.ifname) != 0 || strcmp(n.network, o.network) != 0 ||
		    strcmp(n.container_id, o.container_id) != 0)
			fail("the ledger does not know a live attachment", &a);
	}
}

/* The same in each of the processes; says whether there are as many devices as networks. */
static bool parallel_new(unsigned int number)
{
	bool enough;

	schedule_new(number, "all");
	enough = any(3) > 0;
	allocate(0, any(DEVICES), enough ? DEVICES : 1 + any(3));
	return enough;
}

/* All processes come here before the next part of a schedule. */
static void meet(void)
{
	int r = pthread_barrier_wait(meeting);

	if (r != 0 && r != PTHREAD_BARRIER_SERIAL_THREAD)
		exit(1);
}

static void network_process(int net, unsigned int from)
{
	for (unsigned int i = from; i < from + PARALLEL; i++) {
		bool enough = parallel_new(i);

		state += (uint64_t)net * 7919;
		meet();
		run_network(net, enough);
		meet();
	}
	(void)fflush(stdout);
	_exit(0);
}

static void side_by_side(unsigned int from)
{
	pthread_barrierattr_t attr;
	pid_t child[NETS];
	int status;

	if (pthread_barrierattr_init(&attr) != 0 ||
	    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) != 0 ||
	    pthread_barrier_init(meeting, &attr, NETS + 1) != 0)
		exit(1);
	host.set.lock_timeout_ms = 10000;
	set_boot(1);
	memset(w, 0, sizeof(*w));
	(void)fflush(stdout);
	for (int i = 0; i < NETS; i++) {
		child[i] = fork();
		(void)alarm(110);	/* one that fails leaves the others waiting */
		if (child[i] < 0)
			exit(1);
		if (child[i] == 0)
			network_process(i, from);
	}
	for (unsigned int i = from; i < from + PARALLEL; i++) {
		(void)parallel_new(i);
		memset(w, 0, sizeof(*w));
		meet();
		meet();
		check_journal();
		check_ledger();
	}
	for (int i = 0; i < NETS; i++)
		if (waitpid(child[i], &status, 0) != child[i] || status != 0)
			fail("a process ended badly", NULL);
}

/* -- */

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", dir, command) < 0 || system(full) != 0)
		exit(1);
}

/* In memory where that can be had: the journal and the ledger wait for the disk. */
static void open_scratch(void)
{
	struct err e;

	(void)snprintf(dir, sizeof(dir), "/dev/shm/schedule.XXXXXX");
	if (!mkdtemp(dir)) {
		(void)snprintf(dir, sizeof(dir), "/tmp/schedule.XXXXXX");
		if (!mkdtemp(dir))
			exit(1);
	}
	if (host_open(dir, &host, &e) < 0)
		exit(1);
	sh("mkdir -p proc/sys/kernel/random");
}

static void show(const char *what)
{
	(void)printf("# %s: %d ADDs, %d devices lost to another call, %d waits, %d refusals, "
		     "%d crashes, %d retries, %d moved, %d taken over\n",
		     what, count->adds, count->reasks, count->waits, count->refused, count->crashes,
		     count->retries, count->moved, count->taken_over);
}

int main(void)
{
	const char *first = getenv("SEED");
	unsigned int from = first ? (unsigned int)strtoul(first, NULL, 10) : 1;

	w = shared(sizeof(*w));
	count = shared(sizeof(*count));
	meeting = shared(sizeof(*meeting));
	open_scratch();
	for (int i = 0; i < CALLS; i++)
		call_end(&calls[i]);
	test("no device is given twice or changed, and who can have one gets it");
	for (unsigned int i = from; i < from + SCHEDULES; i++)
		one_schedule(i);
	ok(count->bad == 0);
	show("a step at a time");
	test("all of that has been tried");
	ok(count->adds > 3 * SCHEDULES && count->crashes > SCHEDULES);
	ok(count->retries > SCHEDULES / 2);
	ok(count->reasks > 50 && count->waits > 50 && count->refused > 50);
	ok(count->moved > 50 && count->taken_over > 50);

	memset(count, 0, sizeof(*count));
	test("so it is with processes side by side");
	side_by_side(from);
	ok(count->bad == 0);
	show("side by side");
	ok(count->adds > 5 * PARALLEL && count->crashes > PARALLEL && count->refused > 50);
	host_done(&host);
	sh("rm -rf \"$PWD\"");
	return tap_end();
}
