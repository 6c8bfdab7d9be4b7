# shellcheck shell=bash
# Steps of .ci/run and scripts/nightly: each is run, timed and counted. Sourced after lib.sh.
passed=0
failed=0
skipped=0
steps=()

# step NAME COMMAND... runs a check that counts as one.
step() {
  local name=$1 start=$SECONDS verdict=ok
  shift
  printf '\n== %s\n' "$name"
  if "$@" </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    verdict=FAILED
  fi
  steps+=("$(printf '%-7s %5d s  %s' "$verdict" $((SECONDS - start)) "$name")")
  printf '== %s\n' "${steps[-1]}"
}

# tests NAME scripts/test [OPTION...] counts each test within its programs; a build that fails counts
# as one.
tests() {
  local name=$1 ok bad out summary marker=build/.step
  shift
  mkdir -p build
  touch "$marker"
  step "$name" "$@"
  summary=$(find build/*/reports/summary -newer "$marker" 2>/dev/null | head -n 1) || true
  [[ -n $summary ]] || return 0
  read -r _ ok _ bad _ out _ < <(tail -n 1 "$summary")
  passed=$((passed + ok))
  failed=$((failed + bad))
  skipped=$((skipped + out))
}

check_scripts() {
  local scripts
  mapfile -t scripts < <(git ls-files | xargs grep -lE '^#!(/usr/bin/env bash|/bin/sh)|^# shellcheck shell=')
  shellcheck "${scripts[@]}"
}

# Ends the script with the result and time of each step, and the sum.
summarise() {
  printf '\n'
  printf '%s\n' "${steps[@]}"
  printf '%d s in all\n' "$SECONDS"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [[ $failed -eq 0 ]]
}
