#include "loading/vector_params.h"

#include "base/error.h"

namespace skald {
namespace {

std::optional<Pooling> read_pooling(const MetaView& m, std::string_view key, Pooling highest) {
  if (m.i64(key, -1) < 0) return {};  // files write -1 for "not said"
  return static_cast<Pooling>(m.in_range(key, 0, static_cast<int64_t>(highest)));
}

int64_t read_most_tokens(const Meta& meta) {
  constexpr std::string_view kKey = "sentence_transformers.max_seq_length";
  const int64_t n = meta.i64(kKey, 0);
  if (n < 0) fail(Errc::kBadFile, "key {}: want a number of tokens, file has {}", kKey, n);
  return n;
}

}  // namespace

VectorParams read_vector_params(const MetaView& m) {
  constexpr std::string_view kLabels = "classifier.output_labels";
  return {.pooling = read_pooling(m, "pooling_type", Pooling::kRank),
          .classifier = read_pooling(m, "classifier.pooling_type", Pooling::kLast),
          .labels = m.has(kLabels) ? m.meta().strings(m.full(kLabels)) : std::vector<std::string>(),
          .lowercase = m.meta().flag("sentence_transformers.do_lower_case", false),
          .most_tokens = read_most_tokens(m.meta()),
          .prompt = m.meta().str("sentence_transformers.prompt", ""),
          .pair_template = m.meta().str("tokenizer.chat_template.rerank", "")};
}

}  // namespace skald
