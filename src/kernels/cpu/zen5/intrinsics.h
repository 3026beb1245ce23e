// Compiler intrinsics of this tier.
#pragma once

#include <immintrin.h>
