// Whether tests run under a sanitizer: these take address space as they like, and let mlock() do nothing.
#pragma once

namespace skald::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace skald::test
