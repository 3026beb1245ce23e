#!/usr/bin/env bash
# Makes a folder with all that bench/gpu/measure needs on a machine with glibc, tar, gzip and a driver.
# usage: gpu_kit.sh BUILD FOLDER   BUILD has the programs
set -euo pipefail
build=$1 kit=$2
most_mib=63 golden_mib=10
programs=("$build/skald" "$build/bench/gpu/skald_gpu_trials" "$build/tests/"test_{backend,models})

parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
mkdir -p "$parts/bin" "$parts/lib" "$parts/data/golden"
for program in "${programs[@]}"; do
  strip -o "$parts/bin/$(basename "$program")" "$program"
done
# All libraries but those of glibc.
ldd "${programs[@]}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' | xargs cp -Lt "$parts/lib"
strip "$parts"/lib/*
# Models that tests name, then the smallest of the others.
models=(chatglm1 deepseek32 gptoss llama_gqa llama_mha_q8_0 qwen2_q4_k)
mapfile -t others < <(du -s tests/data/golden/*/ | sort -n | sed -E 's:.*/([^/]+)/:\1:')
for model in "${models[@]}" "${others[@]}"; do
  [[ -f tests/data/golden/$model/model.gguf && ! -e $parts/data/golden/$model ]] || continue
  (($(du -sm "$parts/data" | cut -f1) < golden_mib)) && cp -r "tests/data/golden/$model" "$parts/data/golden"
done
rm -rf "$kit"
mkdir -p "$kit"
cp bench/gpu/measure "$kit"
tar -C "$parts" -czf "$kit/kit.tar.gz" bin lib data
du -sm "$kit" | awk -v most=$most_mib '{ print "gpu-kit: " $2 ", " $1 " MiB"; exit $1 > most }'
