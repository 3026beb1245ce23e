#include "tools/quantize/importance.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "io/printable.h"
#include "quant/panels.h"

namespace skald {
namespace {

// Columns that no input has met count a little: their weights are written too.
constexpr double kLeast = 1e-6;

void scale_to_mean_one(std::span<float> values) {
  double total = 0;
  for (const float v : values) total += v;
  const double mean = total / static_cast<double>(values.size());
  for (float& v : values) v = mean > 0 ? static_cast<float>(std::max(v / mean, kLeast)) : 1.0f;
}

}  // namespace

void choose_weights(Imatrix& matrix, const std::vector<std::string>& include, const std::vector<std::string>& exclude) {
  const auto holds = [](const auto& entry, const std::string& part) { return entry.first.find(part) != std::string::npos; };
  const auto holds_any = [&](const auto& entry, const std::vector<std::string>& parts) {
    return std::ranges::any_of(parts, [&](const std::string& part) { return holds(entry, part); });
  };
  for (const std::string& part : include)
    if (std::ranges::none_of(matrix.entries, [&](const auto& entry) { return holds(entry, part); }))
      fail(Errc::kBadInput, "'{}': the importance matrix has no weight with that in its name", printable(part));
  std::erase_if(matrix.entries, [&](const auto& entry) {
    return (!include.empty() && !holds_any(entry, include)) || holds_any(entry, exclude);
  });
}

std::optional<Importance> Importance::of(const Imatrix& matrix, const GgufTensor& tensor) {
  const auto entry = matrix.entries.find(tensor.name);
  if (entry == matrix.entries.end()) return std::nullopt;
  Importance out;
  out.values_ = entry->second.means();
  out.columns_ = tensor.shape.back();
  const int64_t matrices = matrices_of(tensor.shape);
  if (std::ssize(out.values_) != matrices * out.columns_) {
    if (tensor.name == "token_embd.weight") return std::nullopt;  // as the matrix of logits it met other inputs
    fail(Errc::kBadFile, "the importance matrix has {} values for {} of {} columns", out.values_.size(), matrices,
         out.columns_);
  }
  out.rows_ = tensor.shape.rows() / matrices;
  for (int64_t m = 0; m < matrices; ++m)
    scale_to_mean_one(
        std::span(out.values_).subspan(static_cast<size_t>(m * out.columns_), static_cast<size_t>(out.columns_)));
  return out;
}

}  // namespace skald
