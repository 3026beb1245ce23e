// Error helpers on top of the public error type: context, formatting, and the assertion for our own bugs.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <string>

#include "skald/error.h"

namespace skald {

/// A format string that remembers where it was written, so that `fail` can say so.
template <class... Args>
struct FormatAt {
  fmt::format_string<Args...> text;
  std::source_location at;
  template <class S>
  consteval FormatAt(const S& s, std::source_location where = std::source_location::current())  // NOLINT
      : text(s), at(where) {}
};

/// Throws Error(code, formatted message).
template <class... Args>
[[noreturn]] void fail(Errc code, FormatAt<std::type_identity_t<Args>...> f, Args&&... args) {
  throw Error(code, fmt::format(f.text, std::forward<Args>(args)...), f.at);
}

/// Runs `f`; an Error passing through is prefixed with `what`.
template <class F>
decltype(auto) doing(const std::string& what, F&& f) {
  try {
    return f();
  } catch (Error& e) {
    e.add(what);
    throw;
  }
}

[[noreturn]] void assertion_failed(const char* expression, std::source_location at);

}  // namespace skald

/// For broken invariants of our own, never for user input; stays on in release builds (cold paths only).
#define SKALD_ASSERT(x) (static_cast<bool>(x) ? void(0) : ::skald::assertion_failed(#x, std::source_location::current()))
