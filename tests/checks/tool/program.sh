# What the scripts of bash share that check the program `simdbloom`: they run $tool in an empty
# folder. With an EMULATOR it is a program of Windows, without what only POSIX has: FIFOs,
# permissions, names of any bytes.
set -euo pipefail
tool=$1
emulator=${2:-}
posix() { [ -z "$emulator" ]; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
# Wine's server kills a program that has ended and is not gone a second later: then all runs again.
given=("$(realpath "$0")" "$@")
end() {
  local code=$? killed=no
  [ ! -e "$work/bin/killed" ] || killed=yes
  rm -rf "$work"
  [ $code = 0 ] || [ $killed = no ] || [ -n "${RUNS_AGAIN:-}" ] || RUNS_AGAIN=yes exec "${given[@]}"
}
trap end EXIT
trap 'echo "line $LINENO ends with $?"' ERR
cd "$work"
if ! posix; then
  mkdir bin
  cat >bin/simdbloom <<END
#!/bin/sh
"$emulator" "$tool" "\$@"
code=\$?
[ \$code != 137 ] || : >"$work/bin/killed"
exit \$code
END
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
