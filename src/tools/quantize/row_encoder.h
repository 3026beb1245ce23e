// Rows of floats from anywhere, encoded by all threads and written while the next ones are made.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/thread_pool.h"
#include "io/gguf.h"
#include "tensor/format.h"

namespace skald {

struct RowSource {
  std::string tensor;  // for errors
  int64_t rows, columns;
  std::function<void(int64_t row, float* out)> read;              // out (columns); any thread calls it
  std::function<const float*(int64_t row)> importance = nullptr;  // of its columns, as for encode_weights(); none: all alike
};

/// Hands all rows to `take` in the format `to`, in order, and tells `done` the bytes of each piece. Throws kBadFile naming
/// the tensor, the row and the column of a value that is not finite or more than the format holds. The bytes do not depend
/// on the number of threads.
void give_encoded(const RowSource& from, const Format& to, ThreadPool& pool, const TakeBytes& take,
                  const std::function<void(int64_t bytes)>& done);

}  // namespace skald
