# Adds the bfloat16 dot product VDPBF16PS: Zen 4. (Intel has it too, at a quarter of the rate.)
set(TIER_PROCESSOR x86_64)
set(TIER_FLAGS -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx512bf16)
