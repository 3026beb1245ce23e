# SVE with vectors of 512 bits: A64FX.
set(TIER_PROCESSOR aarch64)
set(TIER_FLAGS -march=armv8.2-a+sve -msve-vector-bits=512)
