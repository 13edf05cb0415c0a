#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# ask.sh - what an API server answers to requests as devinfo-publish sends them, and to some that it must not send
#
#	ask.sh ADDRESS CURLOPTION...	a line of JSON for each: what was asked, status, type, and of the body what
#					devinfo-publish goes by
#
# Needs the namespace shop with the pod web-0, no pod web-9, Node-Feature-Discovery's definition of NodeFeature and its
# namespace, and who may do all of that.  The NodeFeature devinfo-n9 is made and removed.

set -euo pipefail
at=$1
shift
curl=(curl -s -A devinfo-publish "$@")	# to curl itself it answers in many lines
pods=/api/v1/namespaces/shop/pods
features=/apis/nfd.k8s-sigs.io/v1alpha1/namespaces/node-feature-discovery/nodefeatures
one='application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
list='application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
merge=application/merge-patch+json
body=$(mktemp)
trap 'rm -f "$body"' EXIT

# ask WHAT METHOD PATH ACCEPT [TYPE BODY]
ask() {
	local said
	said=$("${curl[@]}" -m 3 -o "$body" -w '%{http_code} %{content_type}' -X "$2" -H "Accept: $4" \
		${5:+-H "Content-Type: $5" -d "$6"} "$at$3") || true
	jq -cn --arg what "$1" --arg said "$said" --rawfile text "$body" '
		([$text, ($text | split("\n")[0])] | map(fromjson?) | .[0] // {}) as $o | {what: $what, status: ($said[:3] | tonumber), type: $said[4:]} +
		if $o.type then {event: $o.type, of: ($o.object | {kind, apiVersion, reason, code})}
		else $o | {kind, apiVersion, reason, code} end | del(.. | nulls)'
}
version() { "${curl[@]}" "$at$1" | jq -r .metadata.resourceVersion; }
feature() {
	jq -cn --arg version "${1:-}" --arg uid "${2:-}" '{apiVersion: "nfd.k8s-sigs.io/v1alpha1", kind: "NodeFeature",
		metadata: ({name: "devinfo-n9", namespace: "node-feature-discovery"} + if $version == "" then {} else {resourceVersion: $version} end +
			if $uid == "" then {} else {uid: $uid} end),
		spec: {features: {attributes: {}, flags: {}, instances: {}}, labels: {"a/b": "'"${3:-c}"'"}}}'
}

ask "a list" GET "$pods?limit=250" application/json
ask "a list of metadata" GET "$pods?limit=250" "$list"
ask "a list in the form of one object" GET "$pods?limit=250" "$one"
ask "a pod's metadata" GET "$pods/web-0" "$one"
ask "a pod in the form of a list" GET "$pods/web-0" "$list"
ask "a pod that is not there" GET "$pods/web-9" "$one"
ask "a group that is not there" GET /apis/nowhere.example.com/v1/things application/json
ask "a field that none can be selected by" GET "$pods?fieldSelector=spec.hostname%3Da" "$list"
ask "a continue that is none" GET "$pods?limit=1&continue=nonsense" "$list"
ask "a watch from a version that is forgotten" GET "$pods?watch=true&resourceVersion=1&timeoutSeconds=1" "$one"
ask "a patch of the status" PATCH "$pods/web-0/status" "$one" $merge '{"metadata":{"annotations":{"example.com/a":"b"}}}'
ask "the same again" PATCH "$pods/web-0/status" "$one" $merge '{"metadata":{"annotations":{"example.com/a":"b"}}}'
ask "a patch of an old version" PATCH "$pods/web-0/status" "$one" $merge '{"metadata":{"resourceVersion":"1","annotations":{"example.com/a":"c"}}}'
ask "a patch of another uid" PATCH "$pods/web-0/status" "$one" $merge '{"metadata":{"uid":"11111111-0000-4000-8000-000000000001","annotations":{"example.com/a":"c"}}}'
ask "a patch of nothing" PATCH "$pods/web-9/status" "$one" $merge '{"metadata":{"annotations":{"example.com/a":"c"}}}'
ask "a patch of no known form" PATCH "$pods/web-0/status" "$one" application/json '{"metadata":{"annotations":{"example.com/a":"c"}}}'
ask "an object is made" POST "$features" application/json application/json "$(feature)"
ask "it is there already" POST "$features" application/json application/json "$(feature)"
ask "one of another kind" POST "$features" application/json application/json "$(feature | jq -c '.kind = "Pod"')"
ask "it is replaced" PUT "$features/devinfo-n9" application/json application/json "$(feature "$(version "$features/devinfo-n9")" '' d)"
ask "of an old version" PUT "$features/devinfo-n9" application/json application/json "$(feature 1 '' e)"
ask "of another uid" PUT "$features/devinfo-n9" application/json application/json \
	"$(feature "$(version "$features/devinfo-n9")" 11111111-0000-4000-8000-000000000001 f)"
ask "removed, of another uid" DELETE "$features/devinfo-n9" application/json application/json \
	'{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"11111111-0000-4000-8000-000000000001"}}'
ask "removed, of an old version" DELETE "$features/devinfo-n9" application/json application/json \
	'{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":"1"}}'
ask "removed" DELETE "$features/devinfo-n9" application/json application/json '{"apiVersion":"v1","kind":"DeleteOptions"}'
ask "removed again" DELETE "$features/devinfo-n9" application/json application/json '{"apiVersion":"v1","kind":"DeleteOptions"}'
curl=(curl -s -k --noproxy "*" -A devinfo-publish -H "Authorization: Bearer nobody")
ask "by a token of nobody" GET "$pods/web-0" "$one"
