# Sourced by tests/run and the programs of bench/: installs Debian packages that are missing, builds
# bench/.

say() { printf '== %s\n' "$*"; }

# need_packages NAME...: does nothing, and needs no network, when all are there.
need_packages() {
  local missing=() p native architecture
  native=$(dpkg --print-architecture)
  for p in "$@"; do
    # A name without an architecture matches the package of every architecture: only ours counts.
    case $p in *:*) architecture=${p#*:} ;; *) architecture=$native ;; esac
    dpkg-query -W -f='${db:Status-Status} ${Architecture}\n' "$p" 2>/dev/null |
      grep -qxE "installed (all|$architecture)" || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${missing[*]}"
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      { echo "missing packages: ${missing[*]}; install them, or run as root" >&2; return 1; }
    sudo=sudo
  fi
  for p in "${missing[@]}"; do
    case $p in
      *:*) dpkg --print-foreign-architectures | grep -qx "${p#*:}" ||
             $sudo dpkg --add-architecture "${p#*:}" ;;
    esac
  done
  # Images of Debian leave documentation out, and genomes are among it.
  $sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo \
    apt-get install -y -qq --no-install-recommends \
    -o 'Dpkg::Options::=--path-include=/usr/share/doc/*/examples/*' "${missing[@]}" >/dev/null
}

# build_bench [TARGET]...: the Release build of bench/ in build/bench, of these targets only if any
# are named. From the project's folder.
build_bench() {
  say "building"
  mkdir -p build
  {
    cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
      -DSIMDBLOOM_BUILD_BENCH=ON -DSIMDBLOOM_BUILD_TESTS=OFF -DSIMDBLOOM_BUILD_TOOLS=OFF \
      -DDUCKDB_INCLUDE_DIR="$PWD/build/npm/duckdb" &&
      cmake --build build/bench ${*:+--target "$@"}
  } >build/bench.log 2>&1 ||
    { cat build/bench.log; return 1; }
}

build_packages=(g++ cmake ninja-build pkg-config libxsimd-dev libcpu-features-dev)
# What bench/report --quick needs, and what all of bench/ does.
report_packages=(libbenchmark-dev libleveldb-dev libbloom-dev nlohmann-json3-dev nettle-dev
  libmurmurhash-dev wamerican-huge python3)
bench_packages=("${report_packages[@]}" libabsl-dev librocksdb-dev libseqan3-dev)
genome_packages=(bowtie-examples kleborate-examples ragout-examples sibelia-examples xz-utils)
test_packages=(binutils clang-format-14 libcli11-dev libgtest-dev libsodium-dev libopenmpi-dev
  librocksdb-dev libxxhash-dev libzstd-dev lua5.4 openmpi-bin python3-yaml zlib1g-dev zstd)
# The Python package, and what its tests and its page use.
python_packages=(pybind11-dev python3-dev python3-numpy python3-pip python3-pandas mypy)
# Windows: the compiler, what runs its programs, and GoogleTest's sources.
windows_packages=(g++-mingw-w64-x86-64-posix wine64 googletest)
packaging_packages=(dpkg-dev fakeroot file help2man lintian)
# The tools that read recipes of src/packages/registries.
registry_packages=(meson bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto)

# need_duckdb: an unmodified DuckDB for Node.js in build/npm, and the headers for its extensions in
# build/npm/duckdb. The versions are those the extension was tried with. False, with a word about
# it, where the npm registry cannot be reached.
need_duckdb() {
  local client=@duckdb/node-api@1.5.6-r.1 headers=duckdb@1.4.4
  [ -e build/npm/complete ] && [ "$(cat build/npm/complete)" = "$client $headers" ] && return 0
  command -v npm >/dev/null || need_packages nodejs npm
  say "installing $client and the headers of $headers from npm"
  rm -rf build/npm
  mkdir -p build/npm/duckdb
  {
    npm install --prefix build/npm --no-save --no-audit --no-fund --ignore-scripts --silent \
      "$client" &&
      (cd build/npm && npm pack --silent "$headers" >/dev/null &&
        tar xzf duckdb-*.tgz --strip-components=5 -C duckdb \
          package/src/duckdb/src/include/duckdb.h \
          package/src/duckdb/src/include/duckdb_extension.h && rm duckdb-*.tgz)
  } || { say "DuckDB cannot be had from npm: WITHOUT ITS EXTENSION AND THE TESTS OF IT"; return 1; }
  echo "$client $headers" >build/npm/complete
}

# need_other_systems: what lets other systems write the filters of tests/golden/foreign: Guava and
# Go's bits-and-blooms of Debian, and Milvus' client for Node.js in build/milvus. What cannot be had
# is left out, with a word about it.
need_other_systems() {
  local client=@zilliz/milvus2-sdk-node@3.0.6
  need_packages libguava-java openjdk-17-jdk-headless || say "WITHOUT FILTERS THAT GUAVA WRITES"
  need_packages golang-go golang-github-willf-bloom-dev ||
    say "WITHOUT FILTERS THAT GO'S bits-and-blooms WRITES"
  [ "$(cat build/milvus/complete 2>/dev/null)" = "$client" ] && return 0
  command -v npm >/dev/null || need_packages nodejs npm
  say "installing $client from npm"
  rm -rf build/milvus
  mkdir -p build/milvus
  {
    (cd build/milvus && npm pack --silent "$client" >/dev/null &&
      tar xzf ./*.tgz --strip-components=1 && rm ./*.tgz)
  } || { say "$client cannot be had: WITHOUT FILTERS THAT IT WRITES"; return 0; }
  echo "$client" >build/milvus/complete
}

# duckdb_script NAME [ARGUMENT]...: bench/experiments/NAME.mjs with what is in build/bench. Node.js
# looks for modules beside the script.
duckdb_script() {
  cp "bench/experiments/$1.mjs" build/npm/
  node "build/npm/$1.mjs" "$PWD/build/bench" "${@:2}"
}
