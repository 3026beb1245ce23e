# SVE with vectors of 256 bits: Neoverse V1.
set(TIER_PROCESSOR aarch64)
set(TIER_FLAGS -march=armv8.2-a+sve -msve-vector-bits=256)
