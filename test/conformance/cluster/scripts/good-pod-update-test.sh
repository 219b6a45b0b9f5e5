#!/bin/sh
# A Pod that kept the rule may not begin to break it.
. ./label-pod.sh
label good-pod.yaml bad1
must_be_refused
