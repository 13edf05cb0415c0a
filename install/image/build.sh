#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh - an image of ours as an OCI archive, for one processor or several
#
#	install/image/build.sh cni|tools|daemon|publish ARCHIVE ARCH=DIRECTORY...
#
# ARCH is as OCI has it (amd64, arm64); DIRECTORY is a build of "make static": bin/ has the programs,
# libs/licenses the licences of what is linked into them, sbom.json what install/sbom.sh prints of it.
#
#	cni	the plugin, and devinfo-pod, its entry point, which installs it on the node
#	tools	devinfoctl, its entry point, devinfo-pod, and the names of PCI devices
#	daemon	devinfod, its entry point, and devinfo-pod
#	publish	devinfo-publish, its entry point, and devinfo-pod; by itself, for it alone has a library for TLS and asks a network
#
# The archive is written by tar and jq: no daemon, no root, no network and no user namespace is needed, as buildah
# needs some of them, and two builds of the same programs are the same bytes.  podman load, skopeo copy and
# "ctr image import" read it.  Environment: SOURCE_DATE_EPOCH, the time of everything in it (that of the release in
# CHANGELOG.md, unless said); VERSION and REVISION, for the labels.

set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
[ $# -ge 3 ] || { sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
name=$1 archive=$2
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
epoch=$("$top/install/release.sh" time)
pci_ids=/usr/share/misc/pci.ids data=
version=${VERSION:?build.sh: VERSION is not said}
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
case $name in
cni)
	programs=(devinfo devinfo-pod)
	entry='["/usr/bin/devinfo-pod", "install"]'
	what="The CNI plugin devinfo, which this image installs on a node, also as sriov and ib-sriov"
	;;
tools)
	programs=(devinfoctl devinfo-pod)
	data=pci.ids
	entry='["/usr/bin/devinfoctl"]'
	what="devinfoctl: which network devices a node has, who has them, and what is wrong with them"
	;;
daemon)
	programs=(devinfod devinfo-pod)
	entry='["/usr/bin/devinfod"]'
	what="devinfod: serves the network devices of a node to kubelet, as sriov-network-device-plugin does"
	;;
publish)
	programs=(devinfo-publish devinfo-pod)
	entry='["/usr/bin/devinfo-publish"]'
	what="devinfo-publish: tells the API server what the node knows of its network devices"
	;;
*)
	echo "build.sh: '$name' is no image: cni, tools, daemon or publish" >&2
	exit 2
	;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/image.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/oci/blobs/sha256"

# pack DIRECTORY: as a tar file on stdout, the same whoever packs it and when
pack() {
	tar -C "$1" --sort=name --format=ustar --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
		--mode='u+rwX,go+rX,go-w' -cf - .
}

# blob MEDIATYPE [MORE]: keep what is on stdin; its descriptor, with the members of the object MORE
blob() {
	local digest
	cat >"$work/blob"
	digest=$(sha256sum "$work/blob" | cut -d ' ' -f 1)
	jq -nc --arg type "$1" --arg digest "sha256:$digest" --argjson size "$(stat -c %s "$work/blob")" \
		"{mediaType: \$type, digest: \$digest, size: \$size} + ${2:-{\}}"
	mv "$work/blob" "$work/oci/blobs/sha256/$digest"
}

# sbom BUILD: what install/sbom.sh has said of the programs in this image; and of the rest, of which nobody else has need,
# devinfo-pod, which is linked from what the plugin has of its C library and compiler, and the names of devices
sbom() {
	jq --arg sum "$(sha256sum <"$1/bin/devinfo-pod" | cut -d ' ' -f 1)" --arg name "$name" --arg version "$version" \
		--arg ids_sum "$(sha256sum <"$pci_ids" | cut -d ' ' -f 1)" --arg ids_version "$(sed -n 's/^#[[:space:]]*Version: *//p' "$pci_ids")" '
		def package($name; $version; $sum; $purpose; $licence): {SPDXID: "SPDXRef-\($name)", name: $name, versionInfo: $version,
			primaryPackagePurpose: $purpose, downloadLocation: "NOASSERTION", filesAnalyzed: false,
			checksums: [{algorithm: "SHA256", checksumValue: $sum}], licenseConcluded: $licence,
			licenseDeclared: $licence, copyrightText: "NOASSERTION"};
		def is_in_image: IN("SPDXRef-DOCUMENT", ($ARGS.positional[] | "SPDXRef-\(.)"));
		.name += "-\($name)" | .documentNamespace += ":\($name)"
		| [.relationships[] | select(.spdxElementId == "SPDXRef-devinfo").relatedSpdxElement] as $linked
		| [.packages[] | select((.SPDXID | IN($linked[])) and (.name | test("^(musl|gcc)"))).SPDXID] as $libc
		| .packages += [package("devinfo-pod"; $version; $sum; "APPLICATION"; "Apache-2.0"),
			package("pci.ids"; $ids_version; $ids_sum; "FILE"; "GPL-2.0-or-later OR BSD-3-Clause")]
		| .relationships += [("devinfo-pod", "pci.ids") | {spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES",
			relatedSpdxElement: "SPDXRef-\(.)"}] + ($libc | map({spdxElementId: "SPDXRef-devinfo-pod",
			relationshipType: "STATIC_LINK", relatedSpdxElement: .}))
		| .relationships |= map(select((.spdxElementId | is_in_image) and (.relationshipType != "DESCRIBES" or
			(.relatedSpdxElement | is_in_image))))
		| [.relationships[].relatedSpdxElement] as $used | .packages |= map(select(.SPDXID | IN($used[])))' \
		"$1/sbom.json" --args "${programs[@]}" ${data:+"$data"}
}

# fill DIRECTORY BUILD: what is in the image
fill() {
	local doc=$1/usr/share/doc/devinfo program
	mkdir -p "$1/usr/bin" "$doc/licenses"
	for program in "${programs[@]}"; do
		install -m 755 "$2/bin/$program" "$1/usr/bin/$program"
	done
	install -m 644 "$top/LICENSE" "$doc/LICENSE"
	sbom "$2" >"$doc/sbom.spdx.json"
	jq -r '.packages[] | select(.primaryPackagePurpose == "LIBRARY").name' "$doc/sbom.spdx.json" | sort -u |
		while read -r program; do
			install -m 644 "$2/libs/licenses/$program" "$doc/licenses/"
		done
	if [ -n "$data" ]; then
		install -D -m 644 "$pci_ids" "$1/usr/share/misc/pci.ids"
		install -m 644 /usr/share/doc/pci.ids/copyright "$doc/licenses/pci.ids"
	fi
}

# one ARCH BUILD: the descriptor of that image
one() {
	local root=$work/root.$1 diff layer config platform
	platform=$(jq -nc --arg arch "$1" '{architecture: $arch, os: "linux"} +
		if $arch == "arm64" then {variant: "v8"} else {} end')
	fill "$root" "$2"
	pack "$root" >"$work/layer"
	diff=$(sha256sum "$work/layer" | cut -d ' ' -f 1)
	layer=$(gzip -n -9 <"$work/layer" | blob application/vnd.oci.image.layer.v1.tar+gzip)
	config=$(jq -nc --argjson platform "$platform" --argjson entry "$entry" --arg created "$created" \
		--arg diff "sha256:$diff" --argjson labels "$labels" '$platform + {
			created: $created,
			config: {User: "0:0", Env: ["PATH=/usr/bin"], Entrypoint: $entry, WorkingDir: "/",
				Labels: $labels},
			rootfs: {type: "layers", diff_ids: [$diff]},
			history: [{created: $created, created_by: "install/image/build.sh"}]}' |
		blob application/vnd.oci.image.config.v1+json)
	jq -nc --argjson config "$config" --argjson layer "$layer" --argjson labels "$labels" '{schemaVersion: 2,
		mediaType: "application/vnd.oci.image.manifest.v1+json", $config, layers: [$layer],
		annotations: $labels}' |
		blob application/vnd.oci.image.manifest.v1+json "{platform: $platform}"
}

labels=$(jq -nc --arg title "devinfo-$name" --arg what "$what" --arg version "$version" --arg created "$created" \
	--arg revision "${REVISION:-}" '{"org.opencontainers.image.title": $title,
	"org.opencontainers.image.description": $what, "org.opencontainers.image.version": $version,
	"org.opencontainers.image.created": $created, "org.opencontainers.image.licenses": "Apache-2.0",
	"org.opencontainers.image.vendor": "cni-devinfo"} +
	if $revision == "" then {} else {"org.opencontainers.image.revision": $revision} end')
for pair; do
	one "${pair%%=*}" "${pair#*=}" >>"$work/manifests"
done
index=$(jq -sc '{schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: .}' \
	"$work/manifests" | blob application/vnd.oci.image.index.v1+json "{annotations: {
		\"org.opencontainers.image.ref.name\": \"localhost/devinfo-$name:$version\"}}")
jq -nc --argjson index "$index" '{schemaVersion: 2, manifests: [$index]}' >"$work/oci/index.json"
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
mkdir -p "$(dirname "$archive")"
pack "$work/oci" >"$archive.tmp"
mv "$archive.tmp" "$archive"
