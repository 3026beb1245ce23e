# AVX2 with FMA and F16C: Haswell, Zen and later.
set(TIER_PROCESSOR x86_64)
set(TIER_FLAGS -mavx2 -mfma -mf16c)
