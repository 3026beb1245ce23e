#include "tools/quantize/row_encoder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <vector>

#include "base/cpu_features.h"
#include "base/error.h"
#include "io/printable.h"
#include "quant/encoder.h"

namespace skald {
namespace {

constexpr int64_t kPieceBytes = 8 << 20;     // bytes that are written at once
constexpr int64_t kChunkElements = 1 << 15;  // elements that a thread takes at once

[[noreturn]] void refuse_row(const RowSource& from, const Format& to, int64_t row) {
  std::vector<float> x(static_cast<size_t>(from.columns));
  from.read(row, x.data());
  const int64_t column = first_unfit(to, x.data(), from.columns);
  const float bad = x[static_cast<size_t>(column)];
  fail(Errc::kBadFile, "tensor {}, row {}, column {}: {} is {}", printable(from.tensor), row, column, bad,
       std::isfinite(bad) ? fmt::format("more than {} holds", to.name) : "no number");
}

// Encodes rows [first, first + n), which `out` has room for.
void encode_rows(const RowSource& from, const Format& to, int64_t first, int64_t n, std::byte* out, ThreadPool& pool) {
  const int64_t columns = from.columns, row_bytes = to.bytes(columns);
  const int64_t grain = std::max<int64_t>(1, kChunkElements / columns), chunks = (n + grain - 1) / grain;
  std::vector<std::vector<float>> scratch(static_cast<size_t>(pool.size()),
                                          std::vector<float>(static_cast<size_t>(columns)));
  std::atomic<int64_t> bad = first + n;
  const ScopedFlushDenormals as_workers_do;  // so that any thread may convert a row
  pool.dynamic(chunks, [&](int64_t chunk, int thread) {
    float* x = scratch[static_cast<size_t>(thread)].data();
    for (int64_t i = chunk * grain; i < std::min(n, (chunk + 1) * grain); ++i) {
      const int64_t row = first + i;
      from.read(row, x);
      if (first_unfit(to, x, columns) != columns) {
        for (int64_t seen = bad; row < seen && !bad.compare_exchange_weak(seen, row);) continue;
        return;
      }
      encode_weights(to, x, from.importance ? from.importance(row) : nullptr, out + i * row_bytes, columns);
    }
  });
  if (bad < first + n) refuse_row(from, to, bad);
}

}  // namespace

// Pieces are written while the next ones are computed.
void give_encoded(const RowSource& from, const Format& to, ThreadPool& pool, const TakeBytes& take,
                  const std::function<void(int64_t bytes)>& done) {
  const int64_t row_bytes = to.bytes(from.columns), at_once = std::max<int64_t>(1, kPieceBytes / row_bytes);
  std::vector<std::byte> pieces[2];
  std::future<void> writing;  // waits for its end when it goes
  for (int64_t row = 0, i = 0; row < from.rows; row += at_once, ++i) {
    const int64_t n = std::min(at_once, from.rows - row);
    std::vector<std::byte>& piece = pieces[i % 2];
    piece.resize(static_cast<size_t>(n * row_bytes));
    encode_rows(from, to, row, n, piece.data(), pool);
    if (writing.valid()) writing.get();
    writing = std::async(std::launch::async, [&take, &piece] { take(piece); });
    done(n * row_bytes);
  }
  writing.get();
}

}  // namespace skald
