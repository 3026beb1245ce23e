// Adapter: low-rank changes of a model's matrices (LoRA, arXiv 2106.09685), as its file has them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "skald/types.h"
#include "tensor/buffer.h"
#include "tensor/tensor.h"

namespace skald {

/// A matrix, or one for each expert or head: f16 where that keeps every value, else f32. Copies share its memory.
class AdapterMatrix {
 public:
  AdapterMatrix() = default;
  /// Throws kBadFile naming the tensor for a value that is not finite.
  AdapterMatrix(const std::string& tensor, std::span<const float> values, const Shape& shape);

  const TensorDesc& desc() const { return desc_; }
  const Shape& shape() const { return desc_.shape; }
  const std::byte* data() const { return bytes_->data(); }
  std::span<const std::byte> bytes() const { return {bytes_->data(), static_cast<size_t>(desc_.bytes())}; }
  std::vector<float> values() const;

 private:
  TensorDesc desc_;
  std::shared_ptr<const Buffer> bytes_;
};

/// The change of a weight W ([m,] n, k), which becomes W + factor * B A: A ([m,] rank, k), B ([m,] n, rank). Of a table of
/// tokens (n, k), A is (n, rank) and B (k, rank).
struct LowRank {
  AdapterMatrix a, b;
  float factor = 1;  // alpha / rank

  int64_t rank() const { return b.shape().back(); }
};

/// Throws kBadFile naming the weight where both matrices do not have one rank, which is not 0.
void want_ranks(const std::string& weight, const LowRank& change);

struct Adapter {
  std::string name;                 // of its file, without the ending
  std::string path;                 // as it was opened
  std::string arch;                 // of the models that it is for: "llama"
  std::string base;                 // the model that it was made for, by name; empty: the file does not say
  std::string task, prefix;         // what it is for, and how its prompts begin: for reports
  std::vector<TokenId> invocation;  // it acts from where these tokens begin last; empty: everywhere (arXiv 2504.12397)
  std::map<std::string, LowRank> changes;  // by the weight's name: "blk.0.attn_q.weight"

  int64_t bytes() const;
  int64_t most_rank() const;
  /// Sums up all that decides its numbers.
  Sha256Sum sum() const;
};

}  // namespace skald
