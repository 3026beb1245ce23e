// Exceptions of a request's callbacks are its own.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "skald/engine.h"

namespace skald {

/// Calls `f`, a callback of the request; the log tells its exception.
template <class F>
void call_back(RequestId id, F&& f) noexcept {
  std::array<char, 64> who;  // without memory of its own
  const auto end = fmt::format_to_n(who.data(), who.size(), "the callback of request {}", id).out;
  guarded({who.data(), static_cast<size_t>(end - who.data())}, std::forward<F>(f));
}

}  // namespace skald
