// Catching an Error so that a test can look at its code and message.
#pragma once

#include <string>

#include "skald/error.h"

namespace skald::test {

/// Returns the Error of `f`; a made-up one with the message "no error" when it does not.
template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  return Error(Errc::kInternal, "no error");
}

}  // namespace skald::test
