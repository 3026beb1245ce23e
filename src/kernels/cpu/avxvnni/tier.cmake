# Adds the int8 dot product VPDPBUSD on 32 bytes: Alder Lake and later, Zen 5.
set(TIER_PROCESSOR x86_64)
set(TIER_FLAGS -mavx2 -mfma -mf16c -mavxvnni)
