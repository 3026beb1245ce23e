# Adds matrix tiles (AMX, with products of bytes and of bfloat16) and arithmetic of halves: Sapphire Rapids and later.
set(TIER_PROCESSOR x86_64)
set(TIER_FLAGS -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx512fp16)
