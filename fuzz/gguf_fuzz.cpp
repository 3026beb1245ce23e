// Fuzzes the GGUF reader: any bytes either parse or throw an Error, and what parses can be looked at.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "io/gguf.h"
#include "skald/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const skald::Gguf file = skald::Gguf::parse(std::as_bytes(std::span(data, size)));
    for (const skald::GgufTensor& t : file.tensors()) {
      // First and last byte: the sanitizer sees a tensor that reaches outside the file.
      const volatile std::byte first = t.data.front(), last = t.data.back();
      static_cast<void>(first);
      static_cast<void>(last);
      if (file.find(t.name) != &t) std::abort();
    }
  } catch (const skald::Error&) {
  }
  return 0;
}
