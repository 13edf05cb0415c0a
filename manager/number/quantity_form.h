/* SPDX-License-Identifier: Apache-2.0 */
/* quantity_form.h - how Kubernetes writes a quantity: its suffix */
#ifndef MANAGER_NUMBER_QUANTITY_FORM_H
#define MANAGER_NUMBER_QUANTITY_FORM_H

#include "manager/number/quantity.h"

enum quantity_form {
	QUANTITY_DECIMAL,		/* "1500m", "10G" */
	QUANTITY_BINARY,		/* "10Gi"; of what is small or has a fraction as decimal */
	QUANTITY_EXPONENT,		/* "10e9" */
};

/* The form in which a text has been written, which has to be a quantity. */
enum quantity_form quantity_form_of(const char *text);

/* Writes the canonical text: the largest suffix with which there is no fraction. */
void quantity_write_form(const struct quantity *q, enum quantity_form form,
			 char ret[QUANTITY_TEXT]);

/*
 * Writes a quantity that has been read, which the text has to be, as Kubernetes does: as it was
 * where it is kept there as a number of 64 bits and a power of thousand, else canonical.
 */
void quantity_write_again(const char *text, char ret[QUANTITY_TEXT]);

#endif
