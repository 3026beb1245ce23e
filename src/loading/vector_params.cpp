#include "loading/vector_params.h"

namespace skald {
namespace {

std::optional<Pooling> read_pooling(const MetaView& m, std::string_view key, Pooling highest) {
  if (m.i64(key, -1) < 0) return {};  // files write -1 for "not said"
  return static_cast<Pooling>(m.in_range(key, 0, static_cast<int64_t>(highest)));
}

}  // namespace

VectorParams read_vector_params(const MetaView& m) {
  constexpr std::string_view kLabels = "classifier.output_labels";
  return {.pooling = read_pooling(m, "pooling_type", Pooling::kRank),
          .classifier = read_pooling(m, "classifier.pooling_type", Pooling::kLast),
          .labels = m.has(kLabels) ? m.meta().strings(m.full(kLabels)) : std::vector<std::string>(),
          .pair_template = m.meta().str("tokenizer.chat_template.rerank", "")};
}

}  // namespace skald
