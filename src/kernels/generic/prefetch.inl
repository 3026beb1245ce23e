// Prefetches of the next bytes.
#pragma once

// Asks for the line at p.
template <class V>
[[gnu::always_inline]] inline void ask_for(const void* p) {
  __builtin_prefetch(p, 0, V::kAskLevel);
}

// Asks for kBytes, `ahead` bytes after p.
template <class V, int64_t kBytes>
[[gnu::always_inline]] inline void prefetch_lines(const void* p, int64_t ahead) {
#pragma GCC unroll 9
  for (int64_t line = 0; line < kBytes; line += 64) ask_for<V>(static_cast<const char*>(p) + ahead + line);
}
