# AVX-512 F, BW, DQ, VL: Skylake-X and later, Zen 4 and later.
set(TIER_PROCESSOR x86_64)
set(TIER_FLAGS -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl)
