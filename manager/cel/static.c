/* SPDX-License-Identifier: Apache-2.0 */
/* static.c - what is known of types before there is a device */
#include "manager/cel/ast.h"

#include <string.h>

static bool is_map(char type)
{
	return type && strchr("mAaCc", type);
}

bool cel_static_takes(char letter, char type, char first)
{
	if (letter == '=')
		letter = first;
	if (strchr("ABCK", letter) || letter == CEL_ANY || type == CEL_ANY || letter == type)
		return true;
	if (letter == 'N')
		return type == CEL_INT || type == CEL_UINT || type == CEL_DOUBLE;
	return is_map(letter) && is_map(type);
}

static const struct {
	char type;
	const char *name;
} names[] = {
	{ CEL_DEVICE, "device" },
	{ CEL_ATTRIBUTES, "map" },
	{ CEL_ATTRIBUTE_NAMES, "map" },
	{ CEL_CAPACITY, "map" },
	{ CEL_CAPACITY_NAMES, "map" },
};

const char *cel_static_name(char type)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == type)
			return names[i].name;
	return cel_type_name((enum cel_type)type);
}

/* What has keys: {type, of keys, of values}. */
static const struct {
	char type, key, value;
} maps[] = {
	{ CEL_MAP, CEL_ANY, CEL_ANY },
	{ CEL_ATTRIBUTES, CEL_STRING, CEL_ATTRIBUTE_NAMES },
	{ CEL_ATTRIBUTE_NAMES, CEL_STRING, CEL_ANY },
	{ CEL_CAPACITY, CEL_STRING, CEL_CAPACITY_NAMES },
	{ CEL_CAPACITY_NAMES, CEL_STRING, CEL_QUANTITY },
};

char cel_static_value(char type)
{
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (maps[i].type == type)
			return maps[i].value;
	return 0;
}

char cel_static_element(struct cel_static is)
{
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (maps[i].type == is.type && maps[i].key != CEL_ANY)
			return maps[i].key;
	if (is.type == CEL_LIST || is.type == CEL_MAP)
		return is.element ? is.element : CEL_ANY;
	return is.type == CEL_ANY ? CEL_ANY : 0;
}
