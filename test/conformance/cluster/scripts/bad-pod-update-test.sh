#!/bin/sh
# A Pod that broke the rule before may stay as bad as it is.
. ./label-pod.sh
label bad-pod.yaml bad1
must_pass
