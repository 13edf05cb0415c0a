/* SPDX-License-Identifier: Apache-2.0 */
/* empty.c - a program that does nothing: what the start of a process costs */
int main(void)
{
	return 0;
}
