#include "skald/embedder.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "embedding/head.h"
#include "embedding/text_reader.h"
#include "loading/loaded_model.h"
#include "stepping/gpu_layers.h"
#include "text/lower_text.h"
#include "text/marked_text.h"
#include "text/pair_template.h"
#include "text/text_frame.h"

namespace skald {
namespace {

EmbedderOptions with_context(EmbedderOptions options, const LoadedModel& model) {
  if (options.cache.n_ctx) return options;
  const int64_t most = model.vector_params().most_tokens;
  options.cache.n_ctx = most ? std::min(most, model.n_ctx_train()) : model.n_ctx_train();
  return options;
}

Pooling pooling_of(const LoadedModel& model, const std::optional<Pooling>& wanted) {
  const Pooling usual = model.has_scores() ? Pooling::kRank : Pooling::kMean;
  const Pooling pooling = wanted ? *wanted : model.vector_params().pooling.value_or(usual);
  if (pooling == Pooling::kRank && !model.has_scores())
    fail(Errc::kUnsupported, "model {} has no classifier (tensor cls.output.weight): it ranks nothing", model.name());
  return pooling;
}

// Of "yes" and "no", in either order, which is "yes"; else nothing.
std::optional<size_t> yes_of(const std::vector<std::string>& labels) {
  if (labels.size() != 2) return {};
  for (size_t i = 0; i < 2; ++i)
    if (labels[i] == "yes" && labels[1 - i] == "no") return i;
  return {};
}

// What -ngl auto means for the model.
EmbedderOptions with_layers(EmbedderOptions o, const LoadedModel& model) {
  o.device = with_gpu_layers(model, {.device = o.device, .cache = o.cache, .schedule = o.schedule}).device;
  return o;
}

}  // namespace

void EmbedderOptions::check() const {
  EngineOptions{.device = device, .cache = cache, .schedule = schedule}.check();
  const std::pair<bool, const char*> others[] = {
      {cache.sparq.on(), "cache.sparq"},           {cache.static_shapes.on(), "cache.static_shapes"},
      {cache.total_keys != 0, "cache.total_keys"}, {cache.swa_sinks != 0, "cache.swa_sinks"},
      {cache.rollback != 0, "cache.rollback"},     {schedule.context_shift, "schedule.context_shift"}};
  for (const auto& [given, field] : others)
    if (given) fail(Errc::kBadInput, "{} has no meaning for vectors of texts", field);
}

class Embedder::Impl {
 public:
  Impl(const Model& model, const EmbedderOptions& options)
      : model_(model.loaded()),
        options_(with_layers(with_context(options, *model_), *model_)),
        pooling_(pooling_of(*model_, options.pooling)),
        backend_(make_backend(options_.device)),
        reader_(*model_, *backend_, options_),
        head_(*model_, *backend_, pooling_ == Pooling::kRank) {
    reader_.compile();
  }

  Pooling pooling() const { return pooling_; }
  int64_t width() const { return head_.width(); }
  int64_t n_ctx() const { return options_.cache.n_ctx; }
  int64_t d_states() const { return model_->d_states(); }

  EmbedInput input(std::string_view text, bool truncate) const {
    const VectorParams& params = model_->vector_params();
    const auto cased = [&](std::string_view part) { return params.lowercase ? lower_text(part) : std::string(part); };
    MarkedText whole(cased(params.prompt), /*trusted=*/true);
    whole.append(cased(text), /*trusted=*/false);
    return of(TextFrame(model_->tokenizer()).one(whole, truncate ? n_ctx() : 0));
  }
  EmbedInput pair(std::string_view first, std::string_view second, bool truncate) const {
    if (const std::string& words = model_->vector_params().pair_template; !words.empty())
      return {.tokens = encode_pair(model_->tokenizer(), words, first, second)};
    return of(TextFrame(model_->tokenizer()).pair(first, second, truncate ? n_ctx() : 0));
  }

  EmbedQuery query(std::string_view text) const {
    if (has_template()) return {.text = std::string(text)};
    PairFrame frame = TextFrame(model_->tokenizer()).around(text);
    return {.text = std::string(text),
            .before = std::move(frame.before),
            .after = std::move(frame.after),
            .second = frame.second};
  }
  std::vector<TokenId> document(const EmbedQuery& query, std::string_view text) const {
    return has_template() ? pair(query.text, text, false).tokens : TextFrame(model_->tokenizer()).encoded(text);
  }

  size_t of_a_step(std::span<const EmbedInput> inputs) const { return reader_.of_a_step(inputs); }

  std::vector<float> embed(std::span<const EmbedInput> inputs, bool normalize, const std::function<bool()>& stop,
                           size_t first = 0) {
    if (pooling_ == Pooling::kNone) fail(Errc::kBadInput, "pooling: none gives no vector of a text, but one for each token");
    const bool scores = pooling_ == Pooling::kRank;
    const std::lock_guard lock(mutex_);
    const std::vector<std::vector<float>> pooled = read(inputs, scores ? model_->score_pooling() : pooling_, stop, first);
    if (pooled.empty()) return {};
    std::vector<float> out = head_.run(pooled);
    if (normalize && !scores) {
      const auto rows = std::span(out);
      const auto width = static_cast<size_t>(head_.width());
      for (size_t i = 0; i < pooled.size(); ++i) normalise(rows.subspan(i * width, width));
    }
    return out;
  }

  std::vector<float> states(const EmbedInput& input) {
    const std::lock_guard lock(mutex_);
    return std::move(read({&input, 1}, Pooling::kNone)[0]);
  }

  bool ranks() const { return pooling_ == Pooling::kRank && (width() == 1 || (width() == 2 && yes())); }

  // A step's pairs at a time: all of them may be far more tokens than the texts.
  std::vector<float> rank(std::string_view text, std::span<const std::string_view> documents, bool truncate,
                          const std::function<bool()>& stop) {
    check_ranks();
    const EmbedQuery query = this->query(text);
    std::vector<float> out;
    std::vector<EmbedInput> pairs;
    for (size_t next = 0; out.size() < documents.size();) {
      if (stop && stop()) return {};
      while (next < documents.size() && of_a_step(pairs) == pairs.size()) {
        const std::string_view document = documents[next++];
        pairs.push_back(truncate ? pair(text, document, truncate) : Embedder::pair(query, this->document(query, document)));
      }
      const size_t n = of_a_step(pairs);
      const std::vector<float> scores = rank(std::span(pairs).first(n), stop, out.size());
      if (scores.empty()) return {};
      out.insert(out.end(), scores.begin(), scores.end());
      pairs.erase(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return out;
  }

  // `first`: the place of the first pair among all of them.
  std::vector<float> rank(std::span<const EmbedInput> pairs, const std::function<bool()>& stop, size_t first = 0) {
    check_ranks();
    const std::vector<float> scores = embed(pairs, /*normalize=*/false, stop, first);
    const std::optional<size_t> yes = this->yes();
    return width() == 2 && yes ? shares_of(*yes, scores) : scores;
  }

 private:
  static EmbedInput of(FramedText text) { return {std::move(text.tokens), text.second}; }
  bool has_template() const { return !model_->vector_params().pair_template.empty(); }

  void check_ranks() const {
    if (ranks()) return;
    fail(Errc::kUnsupported, "model {} does not rank: {}", model_->name(),
         pooling_ == Pooling::kRank ? fmt::format("its classifier has {} outputs", width())
                                    : "it has no classifier, or another pooling was asked for");
  }

  std::vector<std::vector<float>> read(std::span<const EmbedInput> inputs, Pooling pooling,
                                       const std::function<bool()>& stop = {}, size_t first = 0) {
    for (size_t i = 0; i < inputs.size(); ++i)
      doing(fmt::format("input {}", first + i + 1), [&] { check(inputs[i].tokens); });
    return reader_.read(inputs, pooling, stop);
  }

  void check(const std::vector<TokenId>& tokens) const {
    if (tokens.empty()) fail(Errc::kBadInput, "no tokens");
    if (std::ssize(tokens) > n_ctx()) fail(Errc::kBadInput, "{} tokens; the context has {}", tokens.size(), n_ctx());
    check_tokens(tokens, model_->n_vocab());
  }

  std::optional<size_t> yes() const { return yes_of(model_->vector_params().labels); }

  // The softmax of two outputs.
  static std::vector<float> shares_of(size_t one, const std::vector<float>& outputs) {
    std::vector<float> out;
    for (size_t i = 0; i < outputs.size(); i += 2)
      out.push_back(1 / (1 + std::exp(outputs[i + 1 - one] - outputs[i + one])));
    return out;
  }

  std::shared_ptr<const LoadedModel> model_;
  const EmbedderOptions options_;
  const Pooling pooling_;
  std::unique_ptr<Backend> backend_;
  std::mutex mutex_;  // of the members below
  TextReader reader_;
  Head head_;
};

Embedder::Embedder(const Model& model, const EmbedderOptions& options) {
  options.check();
  impl_ = std::make_unique<Impl>(model, options);
}
Embedder::~Embedder() = default;

Pooling Embedder::pooling() const { return impl_->pooling(); }
int64_t Embedder::width() const { return impl_->width(); }
int64_t Embedder::n_ctx() const { return impl_->n_ctx(); }
int64_t Embedder::d_states() const { return impl_->d_states(); }
EmbedInput Embedder::input(std::string_view text, bool truncate) const { return impl_->input(text, truncate); }
EmbedInput Embedder::pair(std::string_view first, std::string_view second, bool truncate) const {
  return impl_->pair(first, second, truncate);
}
std::vector<float> Embedder::embed(std::span<const EmbedInput> inputs, bool normalize, const std::function<bool()>& stop) {
  return impl_->embed(inputs, normalize, stop);
}
std::vector<float> Embedder::states(const EmbedInput& input) { return impl_->states(input); }
bool Embedder::ranks() const { return impl_->ranks(); }
std::vector<float> Embedder::rank(std::string_view query, std::span<const std::string_view> documents, bool truncate,
                                  const std::function<bool()>& stop) {
  return impl_->rank(query, documents, truncate, stop);
}
std::vector<float> Embedder::rank(std::span<const EmbedInput> pairs, const std::function<bool()>& stop) {
  return impl_->rank(pairs, stop);
}
EmbedQuery Embedder::query(std::string_view text) const { return impl_->query(text); }
std::vector<TokenId> Embedder::document(const EmbedQuery& query, std::string_view text) const {
  return impl_->document(query, text);
}
EmbedInput Embedder::pair(const EmbedQuery& query, std::span<const TokenId> document) {
  EmbedInput out{.tokens = query.before, .second = query.second};
  out.tokens.insert(out.tokens.end(), document.begin(), document.end());
  out.tokens.insert(out.tokens.end(), query.after.begin(), query.after.end());
  return out;
}
size_t Embedder::of_a_step(std::span<const EmbedInput> inputs) const { return impl_->of_a_step(inputs); }

}  // namespace skald
