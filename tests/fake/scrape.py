#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# scrape.py - metrics as prometheus-client's own parsers read them: a line of JSON for each sample
#
#	scrape.py openmetrics|text <EXPOSITION
#
# A text that they refuse is an error.  Beyond what they look at: no family comes twice, and no sample.

import json
import sys

if sys.argv[1] == "openmetrics":
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
else:
    from prometheus_client.parser import text_string_to_metric_families

families, samples = set(), set()
for family in text_string_to_metric_families(sys.stdin.buffer.read().decode("utf-8")):
    if family.name in families:
        sys.exit(f"family {family.name} comes twice")
    families.add(family.name)
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        if key in samples:
            sys.exit(f"sample {key} comes twice")
        samples.add(key)
        print(json.dumps({"name": sample.name, "labels": sample.labels, "value": sample.value,
                          "type": family.type, "unit": family.unit}))
