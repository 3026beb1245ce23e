// Shared by the C API's functions: exceptions become statuses, and C's arrays the library's.
#pragma once

#include <concepts>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "skald/c.h"
#include "skald/types.h"

namespace skald::c_api {

/// Tells of the exception that is being handled.
skald_status failed(skald_error* error) noexcept;

/// Calls `f`; its exception becomes a status.
template <std::invocable F>
skald_status guarded(skald_error* error, F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return SKALD_OK;
  } catch (...) {
    return failed(error);
  }
}

/// Throws kBadInput for a null pointer; `name`: of the argument.
template <class T>
T& wanted(T* pointer, const char* name) {
  if (!pointer) fail(Errc::kBadInput, "{}: NULL", name);
  return *pointer;
}

template <class T>
std::span<T> wanted(T* items, size_t size, const char* name) {
  if (size && !items) fail(Errc::kBadInput, "{}: NULL for {} of them", name, size);
  return {items, size};
}

inline std::string text_or(const char* text, std::string otherwise) { return text ? text : std::move(otherwise); }
std::vector<std::string> texts(const char* const* items, size_t size, const char* name);

/// Copies that the caller frees. Throw kNoMemory.
skald_text text_for_caller(std::string_view text);
skald_tokens tokens_for_caller(std::span<const TokenId> tokens);

}  // namespace skald::c_api
