#include "serve/embed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/digest.h"
#include "serve/api_error.h"
#include "serve/prompt_fields.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr size_t kMostInputs = 2048;

void check(const EmbedInput& input, int64_t n_ctx, const std::string& path) {
  const int64_t n = std::ssize(input.tokens);
  if (n == 0) refuse_field(path, "a text that is not empty");
  if (n > n_ctx) throw too_long(path, {n, n_ctx, n_ctx});
}

EmbedInput input_of(const Json& json, const std::string& path, ServedModel& model) {
  EmbedInput out;
  if (json.is_string()) {
    if (json.get_ref<const std::string&>().empty()) refuse_field(path, "a text that is not empty");
    out = model.embedder().input(json.get_ref<const std::string&>());
  } else if (json.is_array()) {
    out.tokens = read_ids(json, path, model.model().n_vocab());
  } else {
    refuse_field(path, "a text, token ids, or a list of either");
  }
  check(out, model.embedder().n_ctx(), path);
  return out;
}

/// Equal inputs once: they have equal vectors.
class Distinct {
 public:
  explicit Distinct(const std::vector<EmbedInput>& inputs) {
    std::map<std::span<const TokenId>, size_t, Less> known;
    for (const EmbedInput& input : inputs) {
      const auto [at, is_new] = known.try_emplace(input.tokens, inputs_.size());
      if (is_new) inputs_.push_back(input);
      places_.push_back(at->second);
    }
  }
  const std::vector<EmbedInput>& inputs() const { return inputs_; }
  /// Which of inputs() the i-th one is.
  size_t place(size_t i) const { return places_[i]; }

 private:
  struct Less {
    bool operator()(std::span<const TokenId> a, std::span<const TokenId> b) const {
      return std::ranges::lexicographical_compare(a, b);
    }
  };
  std::vector<EmbedInput> inputs_;
  std::vector<size_t> places_;
};

// Of unit length; zeros stay.
void normalise(std::vector<float>& v) {
  double sum = 0;
  for (const float x : v) sum += static_cast<double>(x) * x;
  if (sum == 0) return;
  const double scale = 1 / std::sqrt(sum);
  for (float& x : v) x = static_cast<float>(x * scale);
}

Embeddings embed(const std::vector<EmbedInput>& inputs, int64_t dimensions, Embedder& embedder, Call& call) {
  const Distinct distinct(inputs);
  const std::vector<float> all = embedder.embed(distinct.inputs(), /*normalize=*/true, [&call] { return call.gone(); });
  if (all.empty()) call.refuse_gone();
  const auto width = static_cast<size_t>(embedder.width());
  Embeddings out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(distinct.place(i) * width);
    const size_t n = dimensions ? static_cast<size_t>(dimensions) : width;
    out.vectors.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
    if (n < width) normalise(out.vectors.back());
    out.tokens += std::ssize(inputs[i].tokens);
  }
  return out;
}

}  // namespace

std::vector<EmbedInput> read_inputs(const Fields& fields, std::string_view key, ServedModel& model) {
  const Json* input = fields.find(key);
  const std::string path = fields.path(key);
  if (!input) refuse_field(path, "a text, token ids, or a list of either");
  const bool one = !input->is_array() || (!input->empty() && input->front().is_number());
  if (one) return {input_of(*input, path, model)};
  if (input->empty()) refuse_field(path, "a list that is not empty");
  if (input->size() > kMostInputs) refuse_field(path, fmt::format("at most {} texts", kMostInputs));
  std::vector<EmbedInput> out;
  for (size_t i = 0; i < input->size(); ++i) out.push_back(input_of((*input)[i], fmt::format("{}[{}]", path, i), model));
  return out;
}

int64_t read_dimensions(const Fields& fields, ServedModel& model) {
  return fields.integer("dimensions", 1, model.embedder().width()).value_or(0);
}

void answer_embeddings(const std::shared_ptr<Call>& call, Lease model, std::vector<EmbedInput> inputs, int64_t dimensions,
                       std::function<Json(const Embeddings&)> form) {
  if (model->embedder().pooling() == Pooling::kNone)
    throw ApiError(501, "this server gives a vector for each token (--pooling none), and none of a text");
  call->service().post_reading(
      call, [call, model = std::move(model), inputs = std::move(inputs), dimensions, form = std::move(form)] {
        call->send(form(embed(inputs, dimensions, model->embedder(), *call)));
      });
}

std::string base64(const std::vector<float>& values) { return skald::base64(std::as_bytes(std::span(values))); }

}  // namespace skald::serve
