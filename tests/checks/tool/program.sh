# What the scripts of bash share that check the program `simdbloom`: they run $tool in an empty
# folder. With an EMULATOR it is a program of Windows, without what only POSIX has: FIFOs,
# permissions, names of any bytes.
set -euo pipefail
tool=$1
emulator=${2:-}
posix() { [ -z "$emulator" ]; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
# Wine's server kills a program that has ended and is not gone a second later, and once in thousands
# of runs a program ended with 1 and no word. So what fails under wine runs once more, whole.
given=("$(realpath "$0")" "$@")
end() {
  local code=$?
  rm -rf "$work"
  [ $code = 0 ] || posix || [ -n "${RUNS_AGAIN:-}" ] ||
    { echo "failed, and runs again"; RUNS_AGAIN=yes exec "${given[@]}"; }
}
trap end EXIT
trap 'echo "line $LINENO ends with $?"' ERR
cd "$work"
if ! posix; then
  mkdir bin
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$emulator" "$tool" >bin/simdbloom
  chmod +x bin/simdbloom
  tool=$work/bin/simdbloom
fi
failed=0
fail() { echo "FAILED: $*"; failed=1; }
same() { [ "$2" = "$3" ] || fail "$1: expected \"$3\", got \"$2\""; }
says() { grep -qE -- "$2" "$1" || fail "no \"$2\" in: $(cat "$1")"; }  # says FILE REGEX
refused() {  # refused CODE WORDS COMMAND..
  local code=0 wanted=$1 words=$2
  shift 2
  "$@" >/dev/null 2>error </dev/null || code=$?
  same "exit code of: $*" "$code" "$wanted"
  grep -qF -- "$words" error || fail "no \"$words\" in: $(cat error)"
}
