# The reference: plain loops, sums in double, any CPU.
set(TIER_FLAGS "")
