#include "tools/report/cache_estimate.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "io/gguf_parse.h"

namespace skald {
namespace {

constexpr double kElementBytes = 2;

// KV heads of all layers together: a number for each layer, or one for all.
double kv_heads(const MetaView& view, int64_t layers) {
  const char* const key = view.has("attention.head_count_kv") ? "attention.head_count_kv" : "attention.head_count";
  const MetaValue* const value = view.find(key);
  if (value && std::holds_alternative<MetaArray>(*value)) {
    const std::vector<int64_t> each = view.meta().ints(view.full(key));
    return std::accumulate(each.begin(), each.end(), 0.0,
                           [](double sum, int64_t n) { return sum + static_cast<double>(n); });
  }
  return static_cast<double>(view.i64(key)) * static_cast<double>(layers);
}

double bytes_of(const MetaView& view, int64_t tokens) {
  const int64_t layers = view.i64("block_count");
  if (view.has("attention.kv_lora_rank")) {  // a latent vector for all heads
    const int64_t row = view.i64("attention.kv_lora_rank") + view.i64("rope.dimension_count", 0);
    return kElementBytes * static_cast<double>(layers) * static_cast<double>(row) * static_cast<double>(tokens);
  }
  const int64_t heads = std::max<int64_t>(1, view.i64("attention.head_count", 1));
  const int64_t usual = view.i64("embedding_length") / heads;
  const int64_t row = view.i64("attention.key_length", usual) + view.i64("attention.value_length", usual);
  return kElementBytes * kv_heads(view, layers) * static_cast<double>(row) * static_cast<double>(tokens);
}

}  // namespace

int64_t cache_estimate(std::string_view beginning, int64_t tokens) {
  try {
    const Meta meta = gguf::parse_beginning(std::as_bytes(std::span(beginning)));
    const double bytes = bytes_of(MetaView(meta, meta.str("general.architecture")), tokens);
    return static_cast<int64_t>(std::clamp(bytes, 0.0, 0x1p62));
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace skald
