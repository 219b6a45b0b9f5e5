#!/bin/sh
# Once a bad Pod keeps the rule, it may not break it again.
. ./label-pod.sh
label badpod-validate-existing bar
must_pass
label badpod-validate-existing bad1
must_be_refused
