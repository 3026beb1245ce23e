# Adds products of matrices of bytes (SMMLA), dot products of unsigned with signed bytes (USDOT) and of bfloat16 (BFMMLA):
# Neoverse V1, N2 and later, Cortex-A510, A710 and later, Apple M2 and later.
set(TIER_PROCESSOR aarch64)
set(TIER_FLAGS -march=armv8.2-a+dotprod+i8mm+bf16)
