/* SPDX-License-Identifier: Apache-2.0 */
/* select_part.h - what the files of select.h have between them */
#ifndef MANAGER_DRA_SELECT_PART_H
#define MANAGER_DRA_SELECT_PART_H

#include "manager/cel/cel.h"
#include "manager/dra/select.h"
#include "manager/number/quantity.h"

enum {
	/* resource.k8s.io's limits */
	SELECT_RESULTS_MAX = 32,	/* devices of a claim */
	SELECT_REQUESTS_MAX = 32,
	SELECT_CHOICES_MAX = 8,		/* of firstAvailable */
	SELECT_SELECTORS_MAX = 32,
	SELECT_CONSTRAINTS_MAX = 32,
	SELECT_TOLERATIONS_MAX = 16,	/* as it is documented; the API server takes more */
	/* ours */
	SELECT_CLAIM_NAME = 63 + 1 + 253 + 1,
	SELECT_CLAIMS_MAX = 64,
	SELECT_STEPS_MAX = 100000,	/* devices that are tried until we give up */
};

struct selectors {
	struct cel *list[SELECT_SELECTORS_MAX];	/* owned; all of them have to be true */
	size_t n;
};

int selectors_read(const json_t *list, struct selectors *ret, struct err *e) must_check;
void selectors_done(struct selectors *s);

/* -- select_class.c -- */

/* Texts are borrowed from the manifest. */
struct select_class {
	const char *name;
	const json_t *spec;
	struct selectors selectors;
	char fault[512];		/* why nothing can be selected by it; "": nothing */
};

struct select_classes {
	struct select_class *list;	/* owned */
	size_t n;
};

int select_classes_read(const struct manifests *m, struct select_classes *ret,
			struct err *e) must_check;
void select_classes_done(struct select_classes *c);
const struct select_class *select_class(const struct select_classes *c, const char *name);

/* -- select_fault.c -- */

/* What schedulers are known to decide otherwise: bits of select_search.faults. */
enum select_fault {
	FAULT_KEPT,			/* a device that is refused keeps its counters */
	FAULT_SHARED_COUNTERS,		/* those of a shared device do not count once it is had */
	FAULT_POOL_NAMES,		/* counters are those of the first pool of this name */
	FAULT_LISTS,			/* constraints do not see lists */
	FAULT_ONE_VALUE,		/* distinctAttribute remembers one value of a request */
	FAULT_CAPACITY_NAMES,		/* a capacity has no other name than it is published by */
	FAULT_BELOW_ZERO,		/* less than nothing may be requested */
	FAULT_ALL_LEFT,			/* All passes over devices without capacity left */
	FAULT_PANIC,			/* All does not end well with counters */
	FAULT_WHOLE_STEPS,		/* steps of a capacity are counted in whole numbers */
	FAULT_RULES,			/* DeviceTaintRules of v1beta2 are not seen */
	FAULTS,
};

#define FAULT(name) (1U << FAULT_##name)
/* With these what is tried in vain may leave something behind. */
#define FAULTS_KEEPING (FAULT(KEPT) | FAULT(SHARED_COUNTERS) | FAULT(POOL_NAMES) | \
			FAULT(ONE_VALUE))

struct select_search;
/* The faults of a version. */
unsigned int select_faults_of(const struct kubernetes *k);
const char *select_fault_text(enum select_fault fault);

/* Of these faults the ones that can matter to what is asked here. */
unsigned int select_faults_that_matter(const struct select_search *s, unsigned int faults);

/* -- select_pool.c -- */

/* A counter of a pool: what those who have devices have left of it, and what this run takes. */
struct select_counter {
	const char *set, *name;		/* borrowed */
	struct quantity left, used;
	bool is_known;			/* it is one of the pool whose counters these are */
};

struct select_ledger {
	struct select_counter *list;	/* owned */
	size_t n;
	const struct select_pool *of;	/* the first pool that asked; NULL: nobody has */
};

struct select_pool {
	const char *driver, *name;	/* borrowed from the slices */
	json_t *counters;		/* owned: set -> counter -> {"value"} that is left of it */
	struct select_ledger own, *ledger;	/* FAULT_POOL_NAMES: another pool's */
	json_t *groups;			/* owned: set -> groups of each that has a device of it */
	bool is_grouped;		/* a device of it names compatibility groups */
	bool binds;			/* here it has bindingConditions: it comes last */
	bool is_here;			/* a slice of it is this node's, or has its counters */
	size_t n_slices;
	char fault[256];		/* why nothing may be allocated of it; "": nothing */
};

struct select_capacity {
	const char *name;		/* as it is published; borrowed, as is the next */
	const json_t *it;
	struct quantity value, used;	/* by other claims, and by this run */
};

/* A device of a slice that this node can have devices of. */
struct select_candidate {
	const struct dra_device *device;
	struct select_pool *pool;
	const char *taken_by;		/* borrowed; NULL: free */
	bool is_here;			/* this node can have it, too */
	bool is_shared;			/* several may have a part of its capacity each */
	size_t n_held;			/* of a shared one: how many have */
	struct select_capacity *capacity;	/* owned */
	size_t n_capacity;
};

struct select_candidates {
	struct select_pool *pools;	/* owned */
	size_t n_pools;
	json_t *by_name;		/* owned: "driver/pool" -> its place */
	struct select_candidate *list;		/* owned; in the order in which they are tried */
	size_t n, n_here;
	bool selected_nodes;		/* by labels in a nodeSelector, which are not known */
};

/* What others have: devices, and parts of devices that are shared. */
struct select_taken {
	json_t *devices;		/* owned: "driver/pool/device" -> a text */
	json_t *shares;			/* owned: "driver/pool/device" -> [consumedCapacity] */
};

int select_candidates_find(const struct dra_devices *d, const char *node,
			   const struct select_taken *taken, unsigned int faults,
			   struct select_candidates *ret, struct err *e) must_check;
/* A pool of this node that is not whole, or NULL: it may have more devices than are known. */
const struct select_pool *select_faulty_pool(const struct select_candidates *c);
void select_candidates_done(struct select_candidates *c);

/* "driver/pool/device" */
enum { SELECT_KEY = 64 + 254 + 64 };
const char *candidate_key(const struct dra_device *d, char ret[SELECT_KEY]);
bool device_is_shared(const struct dra_device *d);

/* -- select_claim.c -- */

enum why_not {
	NOT_TRIED,
	NOT_NEEDED,			/* it could be taken */
	NOT_SELECTED,			/* by what verdict.words say; the next two also */
	NOT_EVALUATED,
	NOT_ENOUGH,
	NOT_FREE,			/* it is somebody's */
	NOT_TWICE,			/* request `other` of this run has it, of `claim` */
	NOT_TOLERATED,			/* `what` is the taint */
	NOT_COUNTED,			/* `other` is the counter set of which too much is asked */
	NOT_GROUPED,			/* `what` is the consumption with others' groups */
	NOT_CONSTRAINED,		/* `what` is the constraint, `other` a device */
};

struct verdict {
	enum why_not why;
	bool selectable;		/* selectors have been asked, and all are true */
	bool meant;			/* by a request of all devices */
	const json_t *what;
	json_t *words;			/* owned */
	const char *other, *claim;	/* borrowed */
};

/*
 * What devices are taken for: a request, or one of its subrequests.  Texts and JSON are borrowed
 * from the manifest.
 */
struct select_choice {
	char name[130];			/* "request", "request/subrequest" */
	const char *request;
	const struct select_class *class;
	struct selectors selectors;
	bool all, admin;
	size_t count;			/* of all: how many there are */
	const json_t *tolerations, *capacity;
	struct verdict *verdicts;	/* of each candidate */
	size_t best;			/* the most that could be taken together */
	size_t beyond;			/* with so many of other requests they are too many */
};

struct select_request {
	const char *name;
	struct select_choice choices[SELECT_CHOICES_MAX];	/* the first that can be met */
	size_t n, chosen;
};

struct select_result {
	const struct select_choice *choice;
	size_t candidate;
	bool counted;			/* its counters are taken off */
};

/* What a constraint goes by: the devices that have been added to it. */
struct select_held {
	struct {
		const struct select_choice *choice;
		const struct dra_device *device;
	} list[SELECT_RESULTS_MAX];
	size_t n;
};

struct select_claim {
	char name[SELECT_CLAIM_NAME];	/* "namespace/name" */
	const char *source;
	const json_t *doc, *devices;	/* its spec.devices */
	struct select_request requests[SELECT_REQUESTS_MAX];
	size_t n;
	const json_t *constraints;
	struct select_held *held;	/* owned; of each constraint */
	char fault[1024];		/* why it cannot be satisfied; "": nothing is known */
	struct select_result results[SELECT_RESULTS_MAX];
	size_t n_results;
};

struct select_claims {
	struct select_claim *list;	/* owned */
	size_t n;
	struct select_taken taken;	/* owned: what claims have already */
	json_t *notes;			/* owned: a list of texts */
	struct verdict *verdicts;	/* owned; those of all choices */
	size_t n_verdicts;
};

int select_claims_read(const struct manifests *m, const struct select_classes *classes,
		       struct select_claims *ret, struct err *e) must_check;
void select_claims_done(struct select_claims *c);

/* -- select_taint.c -- */

/* Taints and tolerations as resource.k8s.io has them.  The first that is wrong is told. */
int tolerations_check(const json_t *tolerations, struct err *e) must_check;
/* The first NoSchedule or NoExecute taint of a device that is not tolerated, or NULL. */
const json_t *select_taint_against(const json_t *device, const json_t *tolerations);
/* Of one that is tolerated: which, and for how long; "" of none. */
const char *select_taint_allowance(const json_t *device, const json_t *tolerations, char ret[400]);
/* "key=value:effect" */
const char *select_taint_text(const json_t *taint, char ret[256]);

/* -- select_constraint.c -- */

int constraints_check(const struct select_claim *claim, struct err *e) must_check;
/* "requests" of a constraint or a config, texts: each a request of the claim, none twice. */
int requests_named_check(const struct select_claim *claim, const json_t *list,
			 struct err *e) must_check;
/*
 * Could this device join what the claim has?  The first constraint that it would break, or NULL;
 * *other is the device that it does not fit to, NULL where it alone does not.
 */
const json_t *constraint_against(const struct select_claim *claim, unsigned int faults,
				 const struct select_choice *choice, const struct dra_device *d,
				 const char **other);
/* It joins, or the last one of this choice leaves. */
void constraint_add(struct select_claim *claim, unsigned int faults,
		    const struct select_choice *choice, const struct dra_device *d);
void constraint_remove(struct select_claim *claim, unsigned int faults,
		       const struct select_choice *choice);

/* -- select_counter.c -- */

/* The first counter set of which not enough is left for a candidate, or NULL. */
const char *counters_against(const struct select_candidate *c);
/* This run takes what it consumes, or gives it back. */
void counters_add(const struct select_candidate *c);
void counters_remove(const struct select_candidate *c);
/* Somebody has this device of the pool, and what it consumes. */
void counters_take(struct select_pool *pool, const struct dra_device *d);
/* Each pool has a ledger from now on. */
int ledgers_open(struct select_candidates *c, unsigned int faults, struct err *e) must_check;

/* -- select_group.c -- */

/* The first consumption of a candidate whose groups do not go with those of others, or NULL. */
const json_t *groups_against(const struct select_search *s, size_t candidate);
/* Somebody has this device of the pool. */
void groups_take(struct select_pool *pool, const struct dra_device *d);
bool groups_named(const json_t *device);

/* -- select_capacity.c -- */

/* Of a request's `capacity`: are these quantities? */
int capacity_check(const json_t *wanted, struct err *e) must_check;
/* The capacities of a candidate, and what others have of them. */
int capacity_read(struct select_candidate *c, const json_t *shares, struct err *e) must_check;
/* Is there as much as is consumed for a request; is it left? */
bool capacity_is_enough(const struct select_candidate *c, const json_t *wanted,
			unsigned int faults, char words[256]);
bool capacity_is_left(const struct select_candidate *c, const json_t *wanted, unsigned int faults,
		      char words[256]);
/* This run takes it, or gives it back. */
void capacity_take(struct select_candidate *c, const json_t *wanted, unsigned int faults);
void capacity_give_back(struct select_candidate *c, const json_t *wanted, unsigned int faults);
/* What is consumed, as the scheduler writes it; new reference. */
json_t *capacity_consumed(const struct select_candidate *c, const json_t *wanted,
			  unsigned int faults);

/* -- select_verdict.c, select_search.c -- */

/* One request or subrequest in its claim. */
struct select_spot {
	size_t claim, request;
	struct select_choice *choice;
};

struct select_search {
	struct select_candidates *candidates;
	struct select_claims *claims;
	const struct deadline *until;	/* NULL: none */
	unsigned int faults;		/* that it has, as bits */
	unsigned int steps;
	size_t why_bytes;		/* of traces */
	struct select_spot failed;	/* at which an expression failed last */
	size_t deep_claim, deep_request;	/* how far it came, or what it failed at */
	bool limited;			/* it was given up */
};

struct select_claim *select_claim_of(const struct select_search *s, const struct select_spot *at);
/* The time that was given is over: whether, and the error that says so. */
bool select_is_late(const struct select_search *s);
int select_not_in_time(struct err *e);
/* Is it nobody's, also of this run?  For adminAccess only the same claim's own counts. */
bool select_is_free(const struct select_search *s, const struct select_claim *claim,
		    const struct select_choice *choice, size_t candidate, struct verdict *v);
/* Has a device the capacity that is consumed, if nobody had of it?  And is that left? */
bool select_might_have_capacity(const struct select_search *s, const struct select_choice *choice,
				size_t candidate, struct verdict *v);
bool select_has_capacity(const struct select_search *s, const struct select_choice *choice,
			 size_t candidate, struct verdict *v);
/* Is enough left of the counters that it shares? */
bool select_is_counted(const struct select_candidate *c, struct verdict *v);
/* By taints, groups and constraints: could it join what is taken? */
bool select_may_join(const struct select_search *s, const struct select_claim *claim,
		     const struct select_choice *choice, size_t candidate, struct verdict *v);
/* Does it meet the request by itself?  1, 0; -1, with which the search ends: s->failed is where. */
int select_evaluate(struct select_search *s, const struct select_spot *at, size_t candidate,
		    struct err *e) must_check;
/* Why a candidate is not taken, by what is taken now. */
void select_judge(struct select_search *s, const struct select_claim *claim,
		  struct select_choice *choice, size_t candidate);

/* It joins what is taken, if that can be: whether; and the last one of a choice is given back. */
bool select_take(struct select_search *s, const struct select_spot *at, size_t candidate);
void select_give_back(struct select_search *s, const struct select_spot *at);
/* A device is not taken; what is told of it. */
bool select_refuse(struct verdict *v, enum why_not why, const json_t *what, const char *other);

/* 1: claims have their results; 0: there is no solution; -1: it cannot be told, e says why. */
int select_search(struct select_search *s, struct err *e) must_check;

/* -- select_allocation.c, select_report.c -- */

/* Can it be said in an allocation which nodes have all devices?  One of several terms cannot. */
int allocation_nodes_check(const struct select_claim *claim, const struct select_candidates *c,
			   struct err *e) must_check;
/* status.allocation of a claim that has its results, in the API's form; new reference. */
json_t *select_allocation(const struct select_claim *claim, const struct select_search *s,
			  const char *node);

/* The answer of select_devices(). */
json_t *select_report(struct select_search *s, const struct select_question *q, bool solved);

#endif
