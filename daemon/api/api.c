/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - what is kept from one request to the next */
#include "daemon/api/api_part.h"

#include <errno.h>
#include <stdlib.h>

void api_forget_access(struct api *a)
{
	a->read_at = loop_now() - API_ACCESS_MS;
}

bool api_is_of_object(long status)
{
	return status >= 400 && status < 500 && status != 401 && status != 403 && status != 408 &&
	       status != 429;
}

bool api_may_be_of_object(long status)
{
	return api_is_of_object(status) || status == 403 || status == 500;
}

long api_status(const struct api *a)
{
	return a->said.status;
}

unsigned int api_retry_after_ms(const struct api *a)
{
	return a->said.retry_after_ms;
}

struct api *api_new(struct loop *l, const char *kubeconfig, const char *who, struct err *e)
{
	struct api *a = calloc(1, sizeof(*a));

	if (!a || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		(void)err_set(e, ERR_IO, ENOMEM, "begin with libcurl");
		free(a);
		return NULL;
	}
	*a = (struct api){ .kubeconfig = kubeconfig, .who = who, .loop = l,
			   .read_at = loop_now() };
	a->easy = curl_easy_init();
	if (!a->easy)
		(void)err_set(e, ERR_IO, ENOMEM, "begin with libcurl");
	else if (api_access_read(kubeconfig, &a->access, e) == 0 && api_streams_set_up(a, e) == 0)
		return a;
	api_free(a);
	return NULL;
}

void api_free(struct api *a)
{
	if (!a)
		return;
	curl_easy_cleanup(a->easy);
	(void)curl_multi_cleanup(a->multi);
	loop_timer_free(a->timer);
	api_access_done(&a->access);
	curl_global_cleanup();
	free(a);
}
