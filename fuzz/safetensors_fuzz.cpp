// Fuzzes the safetensors reader: any bytes either parse or throw an Error, and what parses can be looked at.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "io/safetensors.h"
#include "skald/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const skald::Safetensors file = skald::Safetensors::parse(std::as_bytes(std::span(data, size)));
    for (const skald::SafetensorsTensor& t : file.tensors()) {
      if (file.find(t.name) != &t) std::abort();
      if (t.data.empty()) continue;
      // First and last byte: the sanitizer sees a tensor that reaches outside the file.
      const volatile std::byte first = t.data.front(), last = t.data.back();
      static_cast<void>(first);
      static_cast<void>(last);
    }
  } catch (const skald::Error&) {
  }
  return 0;
}
