#!/bin/sh
# Where existing violations are not allowed, the change of a bad Pod is refused.
. ./label-pod.sh
label bad-pod.yaml bad1
must_be_refused
