/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - what people call a vendor and a device, by libpci's list */
#include "manager/inventory/read.h"

#include <pci/pci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libpci says where it has no list of names; then there are none. */
printflike(1, 2)
static void say_nothing(char *fmt, ...)
{
	(void)fmt;
}

/* It has no memory. */
printflike(1, 2) __attribute__((noreturn))	/* clang has no _Noreturn in a type */
static void give_up(char *fmt, ...)
{
	(void)fmt;
	exit(1);
}

/* All of these are called, and only pci_init(), which looks for devices, would fill them. */
static struct pci_access *open_names(void)
{
	struct pci_access *pci = pci_alloc();

	pci->warning = pci->debug = say_nothing;
	pci->error = give_up;
	pci->id_lookup_mode = 0;	/* no cache in the caller's home of what the network said */
	return pci;
}

static void look_up(struct pci_access *pci, struct inv_function *f)
{
	int vendor = (int)strtol(f->vendor, NULL, 16), device = (int)strtol(f->device, NULL, 16);
	enum { LOCALLY = PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB };
	const char *name;

	name = pci_lookup_name(pci, f->vendor_name, sizeof(f->vendor_name),
			       PCI_LOOKUP_VENDOR | LOCALLY, vendor);
	if (!name)
		*f->vendor_name = '\0';
	name = pci_lookup_name(pci, f->device_name, sizeof(f->device_name),
			       PCI_LOOKUP_DEVICE | LOCALLY, vendor, device);
	if (!name)
		*f->device_name = '\0';
}

/* Neighbours are often the same: VFs. */
void read_names(struct inventory *inv)
{
	struct pci_access *pci = NULL;

	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i], *before = i ? f - 1 : f;

		if (!*f->vendor || *f->vendor_name)
			continue;
		if (i && strcmp(f->vendor, before->vendor) == 0 &&
		    strcmp(f->device, before->device) == 0) {
			memcpy(f->vendor_name, before->vendor_name, sizeof(f->vendor_name));
			memcpy(f->device_name, before->device_name, sizeof(f->device_name));
			continue;
		}
		if (!pci)
			pci = open_names();
		look_up(pci, f);
	}
	if (pci)
		pci_cleanup(pci);
}
