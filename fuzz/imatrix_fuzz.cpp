// Fuzzes the reader of importance matrices, GGUF and .dat: any bytes throw an Error or give a matrix whose sizes agree.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "skald/error.h"
#include "tools/measure/imatrix_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const skald::Imatrix matrix = skald::parse_imatrix(std::as_bytes(std::span(data, size)));
    if (matrix.entries.empty() || matrix.chunk_count < 0 || matrix.chunk_size < 0) std::abort();
    for (const auto& named : matrix.entries) {
      if (named.first.empty()) std::abort();
      const std::vector<float> means = named.second.means();
      if (means.size() != named.second.sums.size()) std::abort();
      for (const float mean : means)
        if (!(mean >= 0) || std::isinf(mean)) std::abort();
    }
  } catch (const skald::Error& e) {
    if (e.code() == skald::Errc::kInternal) std::abort();
  }
  return 0;
}
