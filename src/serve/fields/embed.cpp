#include "serve/fields/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/digest.h"
#include "base/interruption.h"
#include "serve/api_error.h"
#include "serve/fields/prompt.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr size_t kMostInputs = 2048, kWorkOfItem = 256;

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
  check(out, std::min(model.n_ctx(), model.embedder().n_ctx()), path);
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
  /// Which of inputs() each one is.
  const std::vector<size_t>& places() const { return places_; }

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

// A request's texts on their way to vectors, a step at a time.
class Embedding {
 public:
  Embedding(const std::vector<EmbedInput>& inputs, int64_t dimensions, ServedModel& model)
      : distinct_(inputs), dimensions_(static_cast<size_t>(dimensions)), embedder_(model.embedder()) {
    for (size_t i = 0; i < inputs.size(); ++i) tokens_ += std::ssize(inputs[i].tokens);
  }

  /// False when all are there.
  bool step(RequestContext& context) {
    const auto left = std::span(distinct_.inputs()).subspan(done_);
    const size_t n = embedder_.of_a_step(left);
    const std::vector<float> made =
        embedder_.embed(left.first(n), /*normalize=*/true, [&context] { return context.gone(); });
    if (made.empty()) context.refuse_gone();
    all_.insert(all_.end(), made.begin(), made.end());
    done_ += n;
    return done_ < distinct_.inputs().size();
  }

  /// That its tokens and vectors take.
  int64_t bytes() const {
    const int64_t numbers = std::ssize(distinct_.inputs()) * embedder_.width();
    return tokens_ * static_cast<int64_t>(sizeof(TokenId)) + numbers * static_cast<int64_t>(sizeof(float));
  }

  Embeddings take() const {
    const auto width = static_cast<size_t>(embedder_.width());
    const size_t n = dimensions_ ? dimensions_ : width;
    Embeddings out;
    out.tokens = tokens_;
    for (const size_t place : distinct_.places()) {
      const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(place * width);
      out.vectors.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
      if (n < width) normalise(out.vectors.back());
    }
    return out;
  }

 private:
  const Distinct distinct_;
  const size_t dimensions_;
  Embedder& embedder_;
  std::vector<float> all_;  // of the first done_ ones
  size_t done_ = 0;
  int64_t tokens_ = 0;
};

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
  for (size_t i = 0; i < input->size(); ++i) {
    Interruption::point(kWorkOfItem);
    out.push_back(input_of((*input)[i], fmt::format("{}[{}]", path, i), model));
  }
  return out;
}

int64_t read_dimensions(const Fields& fields, ServedModel& model) {
  return fields.integer("dimensions", 1, model.embedder().width()).value_or(0);
}

void answer_embeddings(const std::shared_ptr<RequestContext>& context, Lease model, const std::vector<EmbedInput>& inputs,
                       int64_t dimensions, std::function<Json(const Embeddings&)> form) {
  if (model->embedder().pooling() == Pooling::kNone)
    throw ApiError(501, "this server gives a vector for each token (--pooling none), and none of a text");
  const auto work = std::make_shared<Embedding>(inputs, dimensions, *model);
  context->forget_body(work->bytes());
  Service& service = context->service();
  service.post_reading(context, [&service, context, model = std::move(model), work, form = std::move(form)] {
    if (work->step(*context)) return true;
    service.post_work(context, [context, model, work, form] { context->send(form(work->take())); });
    return false;
  });
}

std::string base64(const std::vector<float>& values) { return skald::base64(std::as_bytes(std::span(values))); }

}  // namespace skald::serve
