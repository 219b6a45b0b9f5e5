#!/bin/sh
# removeNode | addNode | removeBinding | addBinding: changes which kinds the operator's ConfigMap leaves unseen.
set -eu
case $1 in
  *Node) entries='[Node,*,*] [Node/?*,*,*] [Node/*,*,*]' ;;
  *Binding) entries='[Binding,*,*] [Pod/binding,*,*]' ;;
  *) echo "unknown argument $1"; exit 2 ;;
esac
filters=$(kubectl get configmap kyverno -n kyverno -o 'jsonpath={.data.resourceFilters}')
set -f
for entry in $entries; do
  filters=$(printf '%s\n' "$filters" | sed 's/\]/]\n/g' | sed 's/^[[:space:]]*//' | grep -v '^$' | grep -vxF "$entry" || true)
done
case $1 in
  add*) for entry in $entries; do filters=$(printf '%s\n%s' "$filters" "$entry"); done ;;
esac
patch=$(printf '%s' "$filters" | jq -Rs '{data: {resourceFilters: .}}')
kubectl patch configmap kyverno -n kyverno --type merge -p "$patch"
# The operator sees the change through its watch.
sleep 2
