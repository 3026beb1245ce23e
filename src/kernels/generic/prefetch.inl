// Asking for what comes next.
#pragma once

// Asks for kBytes, `ahead` bytes after p.
template <int64_t kBytes>
[[gnu::always_inline]] inline void prefetch_lines(const void* p, int64_t ahead) {
#pragma GCC unroll 9
  for (int64_t line = 0; line < kBytes; line += 64) __builtin_prefetch(static_cast<const char*>(p) + ahead + line);
}
