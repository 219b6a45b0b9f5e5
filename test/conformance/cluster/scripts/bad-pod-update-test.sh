#!/bin/sh
# A Pod that broke the rule before may stay as bad as it is.
. ./label-pod.sh
label badpod-validate-existing bad1
must_pass
