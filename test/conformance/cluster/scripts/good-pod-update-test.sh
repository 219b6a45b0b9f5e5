#!/bin/sh
# A Pod that kept the rule may not begin to break it.
. ./label-pod.sh
label goodpod-validate-existing bad1
must_be_refused
