// How far ahead of their use the matmuls ask for weights.
#pragma once

inline constexpr int64_t kPrefetchBytes = 4096;
