#!/bin/sh
# Takes back what the suite's policy did to the node.
kubectl patch node kind-control-plane --subresource=status --type=json \
  -p '[{"op": "remove", "path": "/status/capacity/example.com~1dongle"}]' || true
kubectl annotate node kind-control-plane policies.kyverno.io/last-applied-patches- || true
