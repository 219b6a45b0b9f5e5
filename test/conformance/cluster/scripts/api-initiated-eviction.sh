#!/bin/sh
# Evicting the Pod is refused, and the refusal names the label.
if answer=$(kubectl create --raw /api/v1/namespaces/test-validate/pods/nginx/eviction -f eviction.json 2>&1); then
  echo "the eviction was allowed: $answer"
  exit 1
fi
echo "$answer"
case $answer in *evict=false*) exit 0 ;; esac
echo 'the refusal does not name the label evict=false'
exit 1
