# Adds the dot products of bytes SDOT: Cortex-A55, A75 and later, Neoverse N1, Apple's from 2018 on.
set(TIER_PROCESSOR aarch64)
set(TIER_FLAGS -march=armv8.2-a+dotprod)
