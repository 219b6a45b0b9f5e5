#!/bin/sh
# Without leniency for existing violations the change of a bad Pod is refused.
. ./label-pod.sh
label bad-pod.yaml bad1
must_be_refused
