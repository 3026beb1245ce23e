// Compiler intrinsics of this tier.
#pragma once

#include <arm_neon.h>
#include <arm_sve.h>
