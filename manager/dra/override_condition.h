/* SPDX-License-Identifier: Apache-2.0 */
/*
 * override_condition.h - check whether an override is about a device
 *
 * Names are compared elsewhere; here the expressions of an override are evaluated, and those of the
 * DeviceClass that it names.
 * All of them must hold, and each sees the device as its driver published it.
 */
#ifndef MANAGER_DRA_OVERRIDE_CONDITION_H
#define MANAGER_DRA_OVERRIDE_CONDITION_H

#include "base/err.h"
#include "devinfo/taint/device_filter.h"
#include "manager/cel/cel.h"
#include "manager/dra/slice.h"

/* Compiled expressions; the texts are borrowed. */
struct override_selectors {
	struct override_selector {
		const char *text;
		struct cel *cel;
	} *list;			/* owned */
	size_t n;
};

struct override_class {
	const char *name;		/* borrowed from the manifest */
	const json_t *spec;		/* likewise; NULL: none */
	struct override_selectors selectors;
	bool is_faulty;			/* then no device is of it, because of... */
	struct err why;			/* ...this; also why it could not be told of `asked` */
	const json_t *asked;		/* the last device, and the answer of then */
	int answer;
};

struct override_classes {
	struct override_class *list;	/* owned */
	size_t n;
};

struct override_condition {
	const struct device_filter *filter;
	struct override_class *class;	/* NULL: any */
	struct override_selectors selectors;
};

/* Append a DeviceClass, also a faulty one, to the list, which has room for it. */
void override_class_read(const struct manifest *m, struct override_classes *to);

/*
 * -1 with ERR_NETCONF: a class that does not exist or is faulty, an expression that does not
 * compile, a selector of another kind.  Then it is about no device.  filter and classes are
 * borrowed.  Release with override_condition_done(), also after an error.
 */
int override_condition_compile(const struct device_filter *filter,
			       const struct override_classes *classes,
			       struct override_condition *ret, struct err *e) must_check;

/*
 * Is it about a device whose names match?  1, 0, -1 when an expression, which e quotes, fails for
 * it.
 */
int override_condition_holds(const struct override_condition *t, const struct dra_device *d,
			     struct err *e) must_check;

/* Forget the cached answers for the last device. */
void override_classes_forget(struct override_classes *c);

void override_condition_done(struct override_condition *t);
void override_classes_done(struct override_classes *c);

#endif
