# NEON, which every 64-bit Arm has.
set(TIER_PROCESSOR aarch64)
set(TIER_FLAGS "")
