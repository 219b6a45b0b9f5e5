#!/bin/sh
# Once a bad Pod keeps the rule, it may not break it again.
. ./label-pod.sh
label bad-pod.yaml bar
must_pass
label bad-pod.yaml bad1
must_be_refused
