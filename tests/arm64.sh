#!/usr/bin/env bash
# On processors that qemu emulates: kernels on every tier of 64-bit Arm, golden models of all families on the best one and of
# some on others, and the promises of equal bits.
# usage: tests/arm64.sh <build folder>
set -euo pipefail
build=$1
jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# run_tests CPU PROGRAM PATTERN...: cases of a test program, in as many processes as there are cores. A pattern without a case
# fails. Death tests are left out: the emulator forks slowly, and other tests meet their kernels.
run_tests() {
  local cpu=$1 program=$2 shard start=$SECONDS ran failed=0 pattern patterns
  patterns=$(IFS=: && echo "${*:3}")
  for pattern in "${@:3}"; do
    if [[ -z $(qemu-aarch64 "$build/tests/$program" --gtest_list_tests --gtest_filter="$pattern" | grep '^  ') ]]; then
      echo "arm64: $program has no cases of $pattern" >&2
      exit 1
    fi
  done
  for ((shard = 0; shard < jobs; ++shard)); do
    QEMU_CPU=$cpu GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$shard \
      qemu-aarch64 "$build/tests/$program" --gtest_filter="$patterns:-*DeathTest*" >"$work/$shard" 2>&1 &
  done
  for ((shard = 0; shard < jobs; ++shard)); do wait -n || failed=1; done
  ran=$(cat "$work"/[0-9]* | sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\?\.$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
  if ((failed || ran == 0)); then
    grep -hE -A 12 '^\S+Failure|^\[  FAILED  \]|fatal|Error' "$work"/[0-9]* | head -n 60 >&2
    echo "arm64: $program on $cpu failed: $patterns" >&2
    exit 1
  fi
  echo "arm64: $program on $cpu: $ran cases of $patterns in $((SECONDS - start)) s"
}

# logits CPU TIER MODEL: the sum of the bytes of a golden model's logits.
logits() {
  QEMU_CPU=$1 SKALD_ISA=$2 qemu-aarch64 "$build/skald" logits -m "tests/data/golden/$3/model.gguf" --ids 1,7,42,99,7,300 \
    -t 2 -o "$work/logits.npy"
  sha256sum <"$work/logits.npy"
}

# Sums of a block are exact and added in order, and the rest is the same for vectors of 8 lanes: all these tiers agree.
same_logits() {
  local model tier want
  for model in llama_mha_q8_0 llama_mha_q4_0 qwen2_q4_k; do
    want=$(logits max,sve=off neon "$model")
    for tier in dotprod i8mm; do
      if [[ $(logits max,sve=off "$tier" "$model") != "$want" ]]; then
        echo "arm64: the logits of $model by $tier have other bits than by neon" >&2
        exit 1
      fi
    done
  done
  echo "arm64: neon, dotprod and i8mm give the same bits"
}

run_tests cortex-a72 test_base 'CpuFeatures.*' 'CpuName.*' 'FlushDenormals.*'
run_tests cortex-a72 test_kernels '*scalar*' '*neon*' 'Tiers.*' 'Dispatch.*' 'Kv*' 'HadamardBlock.*' 'Simt*'
run_tests neoverse-n1 test_kernels '*dotprod*'
run_tests max,sve=off test_kernels '*i8mm*'
run_tests max,sve256=on test_kernels '*sve256*'
run_tests max,sve512=on test_kernels '*sve512*'

run_tests max,sve=off test_models '*Golden*/i8mm_*'
for model in llama qwen3moe mamba2; do
  run_tests cortex-a72 test_models "*GoldenTest*/neon_$model*"
done
run_tests max,sve512=on test_models '*GoldenTest*/sve512_llama*'

# Equal bits for every way to compute: threads, neighbours, steps, layouts, windows of fixed shapes, sparse decoding of all keys.
same_logits
run_tests max,sve=off test_stepping 'RunnerTest.*' 'Policies.*' '*StaticAttention.Gives*' '*Rollback.RowsTakenBack*'
for tier in cortex-a72/neon max,sve=off/i8mm max,sve512=on/sve512; do
  run_tests "${tier%/*}" test_backend "*AttentionBits.*/${tier#*/}" "*SparqBitsOn.Do*/${tier#*/}" "*SparqBitsOn.Forgets*/${tier#*/}" \
    "*SparqOn.IsDense*/${tier#*/}" "*Ragged.*${tier#*/}*"
done
