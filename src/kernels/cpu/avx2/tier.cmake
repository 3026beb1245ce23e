# AVX2 with FMA and F16C: Haswell, Zen and later.
set(TIER_FLAGS -mavx2 -mfma -mf16c)
