#!/bin/bash
# findings/run.sh [NAME…]: runs all findings, or those whose file name contains a NAME, one after the other, and prints a summary.
# Each has FINDING_SECONDS (300) seconds. The exit code is 1 if one is no longer as found. Needs a network, apt and npm; not part of CI.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
seconds=${FINDING_SECONDS:-300}; log=$(mktemp); trap 'rm -f "$log"' EXIT; failed=0; count=0
for file in *.sh; do
  [ "$file" != run.sh ] || continue
  if [ $# -gt 0 ]; then wanted=no; for name in "$@"; do [[ $file != *"$name"* ]] || wanted=yes; done; [ $wanted = yes ] || continue; fi
  count=$((count + 1)); began=$SECONDS
  # Its processes are ended with it: timeout gives them a group of their own.
  timeout --kill-after=10 "$seconds" bash "$file" >"$log" 2>&1 </dev/null; code=$?
  took=$((SECONDS - began))
  if [ $code -eq 0 ]; then printf 'as found   %4d s  %s\n' $took "$file"; continue; fi
  failed=$((failed + 1))
  if [ $code -eq 124 ] || [ $code -eq 137 ]; then printf 'too slow   %4d s  %s\n' $took "$file"; else printf 'CHANGED    %4d s  %s (exit code %d)\n' $took "$file" $code; fi
  tail -n 5 "$log" | sed 's/^/    /'
done
echo "$((count - failed)) of $count are as found."
[ $count -gt 0 ] && [ $failed -eq 0 ]
