#!/usr/bin/env bash
# Kernels on every tier of 64-bit Arm and golden models on some, each on a processor that qemu emulates.
# usage: tests/arm64.sh <build folder>
set -euo pipefail
build=$1
jobs=$(nproc)

# Runs the cases of a test program that a pattern names, in as many processes as there are cores; fails where there are none.
run_tests() {
  local cpu=$1 program=$2 pattern=$3 log shard ran=0 failed=0
  log=$(mktemp -d)
  for ((shard = 0; shard < jobs; ++shard)); do
    QEMU_CPU=$cpu GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$shard \
      qemu-aarch64 "$build/tests/$program" --gtest_filter="$pattern" >"$log/$shard" 2>&1 &
  done
  for ((shard = 0; shard < jobs; ++shard)); do wait -n || failed=1; done
  ran=$(cat "$log"/* | sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\?\.$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
  if ((failed || ran == 0)); then
    grep -hE -A 12 '^\S+Failure|^\[  FAILED  \]|fatal|Error' "$log"/* | head -n 60 >&2
    echo "arm64: $program on $cpu failed: $pattern" >&2
    exit 1
  fi
  echo "arm64: $program on $cpu: $ran cases of $pattern"
  rm -r "$log"
}

run_tests cortex-a72 test_base 'CpuFeatures.*:CpuName.*:FlushDenormals.*'
run_tests cortex-a72 test_kernels '*scalar*:*neon*:*Fiber*'
run_tests neoverse-n1 test_kernels '*dotprod*'
run_tests max,sve=off test_kernels '*i8mm*'
run_tests max,sve256=on test_kernels '*sve256*'
run_tests max,sve512=on test_kernels '*sve512*'
for model in llama qwen3moe mamba2; do
  run_tests cortex-a72 test_models "*GoldenTest*neon_$model*"
  run_tests max,sve=off test_models "*GoldenTest*i8mm_$model*"
done
run_tests max,sve512=on test_models '*GoldenTest*sve512_llama*'
