# Sourced: label FILE VALUE sets the label foo of the Pod in the file and leaves the answer in $answer.
label() {
  answer=$(kubectl label -f "$1" "foo=$2" --overwrite 2>&1) || true
  echo "$answer"
}
refused() { case $answer in *check-labels*) return 0 ;; esac; return 1; }
must_be_refused() { refused || { echo 'expected a refusal by the rule check-labels'; exit 1; }; }
must_pass() { if refused; then echo 'expected no refusal by the rule check-labels'; exit 1; fi; }
