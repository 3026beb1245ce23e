// Golden models with a layer that predicts further tokens, made of one of their own.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/models/edited_golden.h"

namespace skald::test {

inline EditedGolden::Tensor floats_of(const Shape& shape, const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {shape, find_gguf_type(format_f32.id)->id, {bytes.begin(), bytes.end()}};
}

class AheadGolden : public EditedGolden {
 public:
  /// The golden model with one more layer, a copy of layer `from` (one with attention; -1: the last) and, in Nemotron's way,
  /// of the feed-forward of layer `ffn_from` after the norm that such a layer has. It looks at the token alone.
  explicit AheadGolden(const std::string& name, int64_t from = -1, int64_t ffn_from = -1) : EditedGolden(name) {
    const int64_t n = get("block_count", 0), d = get("embedding_length", 0);
    copy(from < 0 ? n - 1 : from, n, "attn_norm.weight");
    if (ffn_from >= 0) copy(ffn_from, n, "post_attention_norm.weight");
    std::vector<float> token_part(static_cast<size_t>(2 * d * d));
    for (int64_t i = 0; i < d; ++i) token_part[static_cast<size_t>(i * 2 * d + i)] = 1;
    const std::string nextn = fmt::format("blk.{}.nextn.", n);
    tensors[nextn + "eh_proj.weight"] = floats_of(Shape{d, 2 * d}, token_part);
    for (const char* norm : {"enorm", "hnorm"})
      tensors[nextn + norm + ".weight"] = floats_of(Shape{d}, std::vector<float>(static_cast<size_t>(d), 1.0F));
    set("block_count", static_cast<uint32_t>(n + 1));
    set("nextn_predict_layers", uint32_t{1});
  }

  /// Makes all layers add nothing to the embedding: logits depend on the last token alone, and the layer ahead is right.
  AheadGolden& make_right() {
    for (auto& [full, tensor] : tensors)
      for (const char* last : {"attn_output.", "ffn_down", "ssm_out."})
        if (full.find(last) != std::string::npos) std::ranges::fill(tensor.data, std::byte{0});
    return *this;
  }

 private:
  void copy(int64_t from, int64_t to, const std::string& norm) {
    const std::string prefix = fmt::format("blk.{}.", from);
    std::map<std::string, Tensor> copies;
    for (const auto& [full, tensor] : tensors)
      if (full.starts_with(prefix)) {
        const std::string own = full.substr(prefix.size());
        copies[fmt::format("blk.{}.{}", to, own == "attn_norm.weight" ? norm : own)] = tensor;
      }
    tensors.merge(copies);
  }
};

}  // namespace skald::test
