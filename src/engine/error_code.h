// The code by which an exception is told.
#pragma once

#include <exception>
#include <new>

#include "skald/error.h"

namespace skald {

inline Errc code_of(const std::exception& e) {
  if (const auto* error = dynamic_cast<const Error*>(&e)) return error->code();
  return dynamic_cast<const std::bad_alloc*>(&e) ? Errc::kNoMemory : Errc::kInternal;
}

}  // namespace skald
