#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sbom.sh - what the static programs are made of: an SPDX 2.3 document, in JSON, on stdout
#
#	install/sbom.sh [ARCH]
#
# For after "make static [ARCH=ARCH]", which has recorded it: of each part its version, its licence, the checksum of the
# archive that is linked, and the files of its source package with theirs.  It is the same for the same programs:
# SOURCE_DATE_EPOCH, or the time of the release, is its date.  The licences' texts are in build-static*/libs/licenses.

set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
at=build-static${1:+-$1}
programs=(devinfo devinfoctl devinfod devinfo-publish)
for file in libs/facts "${programs[@]/#/bin/}"; do
	[ ! -e "$at/$file" ] || continue
	echo "sbom.sh: there are no static programs in '$at': first make static${1:+ ARCH=$1}" >&2
	exit 1
done
version=$(install/release.sh version)
when=$(install/release.sh time)
arch=${1:-$(dpkg --print-architecture)}

# sums - of each program, an object
sums() {
	(cd "$at/bin" && sha256sum "${programs[@]}") | jq -nRc '[inputs | split("  ") | {(.[1]): .[0]}] | add'
}

jq -nR --arg version "$version" --arg date "$(date -u -d "@$when" +%Y-%m-%dT%H:%M:%SZ)" --arg arch "$arch" \
	--argjson sums "$(sums)" '
	def sha256: [{algorithm: "SHA256", checksumValue: .}];
	def program($name; $sum): {SPDXID: "SPDXRef-\($name)", name: $name, versionInfo: $version,
		primaryPackagePurpose: "APPLICATION", downloadLocation: "NOASSERTION", filesAnalyzed: false,
		checksums: ($sum | sha256), licenseConcluded: "Apache-2.0", licenseDeclared: "Apache-2.0",
		copyrightText: "NOASSERTION"};
	def ids: .program = ({both: $ARGS.positional,
			devinfoctl: ($ARGS.positional - ["devinfo"])}[.program] // [.program])
		| .id = "SPDXRef-\(.program | join("-"))-\(.archive | gsub("[^A-Za-z0-9.-]"; "-"))";
	[inputs | split("\t") | {program: .[0], archive: .[1], sum: .[2], licence: .[3], package: .[4], source: .[5],
		version: .[6], files: (.[7] | split(",") | map(split(":")))} | ids] as $parts
	| {spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
		name: "cni-devinfo-\($version)-\($arch)",
		documentNamespace: "urn:cni-devinfo:\($version):\($arch):\([$sums[$ARGS.positional[]]] | join(":"))",
		creationInfo: {created: $date, creators: ["Tool: cni-devinfo-sbom.sh"]},
		packages: (($ARGS.positional | map(program(.; $sums[.]))) + ($parts | map(
			{SPDXID: .id, name: .source, versionInfo: .version, primaryPackagePurpose: "LIBRARY",
			 packageFileName: .archive, checksums: (.sum | sha256), supplier: "Organization: Debian",
			 downloadLocation: "NOASSERTION", filesAnalyzed: false,
			 licenseConcluded: .licence, licenseDeclared: .licence, copyrightText: "NOASSERTION",
			 sourceInfo: ("Debian source package \(.source) \(.version)"
				+ (if .program == ["devinfod"] then ", compiled without TLS"
				elif .archive == "libcurl.a" then ", compiled for HTTPS alone"
				elif .package == "-" then ", compiled for musl" else ", as in its package \(.package)" end)
				+ if .files == [] then "" else "; SHA-256 of its files: "
					+ (.files | map("\(.[1]) \(.[0])") | join(", ")) end),
			 externalRefs: [{referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
				referenceLocator: "pkg:deb/debian/\(.source)@\(.version | @uri)?arch=source"}]}))),
		relationships: (($ARGS.positional | map({spdxElementId: "SPDXRef-DOCUMENT",
			relationshipType: "DESCRIBES", relatedSpdxElement: "SPDXRef-\(.)"}))
			+ [$parts[] | . as $part | .program[] | {spdxElementId: "SPDXRef-\(.)",
				relationshipType: "STATIC_LINK", relatedSpdxElement: $part.id}])}' --args "${programs[@]}" <"$at/libs/facts"
