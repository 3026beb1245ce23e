#include "serve/models/served_model.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/size_text.h"
#include "base/uninterrupted.h"
#include "loading/loaded_model.h"
#include "loading/model_name.h"
#include "serve/api_error.h"
#include "serve/wall_clock.h"
#include "stepping/memory_need.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

Model load(const std::string& path, const LoadOptions& options) {
  return path.empty() ? Model::embedded(options) : Model::load(path, options);
}

bool keeps_states(const Model& model) {
  return std::ranges::any_of(model.loaded()->states(),
                             [](const StateSpec& state) { return std::holds_alternative<RecurrentState>(state); });
}

// For checkpoints of recurrent states: the option, or a quarter of the cache's size without them, and room for some where it
// takes little.
int64_t state_mib(const ServeOptions& options, const Model& model, EngineOptions engine) {
  constexpr int64_t kMiB = int64_t{1} << 20, kLeast = 64;
  if (options.state_cache_bytes >= 0) return ceil_div(options.state_cache_bytes, kMiB);
  engine.cache.checkpoints.mib = 0;
  return std::max(kLeast, memory_need(*model.loaded(), engine).cache / 4 / kMiB);
}

std::unique_ptr<Embedder> make_embedder(const Model& model, const ServeOptions& options, std::optional<Pooling> pooling) {
  EmbedderOptions embedder{.device = options.engine.device, .pooling = pooling};
  return std::make_unique<Embedder>(model, embedder);
}

}  // namespace

EngineOptions engine_options(const ServeOptions& options, const Model& model) {
  const int64_t longest = model.n_ctx_train();
  const auto holding = [&](int64_t tokens) {
    EngineOptions out = options.engine;
    out.cache.total_keys = tokens;
    out.cache.n_ctx = std::min(longest, tokens);
    if (keeps_states(model)) out.cache.checkpoints.mib = state_mib(options, model, out);
    return out;
  };
  const bool asked = options.n_ctx != 0;
  const int64_t wanted = asked ? options.n_ctx : longest * options.engine.schedule.n_parallel, memory = available_memory();
  const FittingContext fit = fitting_cache(*model.loaded(), wanted, holding, memory);
  if (fit.n_ctx == wanted) return holding(wanted);
  if (asked)
    fail(Errc::kNoMemory, "cache.total_keys: {} tokens take {}, and there are {}", wanted, size_text(fit.need.cache),
         size_text(memory));
  if (!fit.n_ctx) fail(Errc::kNoMemory, "there is no room for a cache: {} are there", size_text(memory));
  log(LogLevel::kWarn, "the cache holds {} tokens, which fit into memory, instead of {}", fit.n_ctx, wanted);
  return holding(fit.n_ctx);
}

ServedModel::ServedModel(const std::string& path, std::string id, const ServeOptions& options)
    : options_(options),
      path_(path),
      id_(std::move(id)),
      model_(load(path, options.load)),
      created_(unix_now()),
      sampling_(read_sampling_defaults(model_.loaded()->meta())),
      loras_(model_, options.loras) {
  if (id_.empty()) id_ = name_of_path(path_);
  if (id_.empty()) id_ = model_.name();
  sampling_defaults(0);  // throws for flags that this model's vocabulary does not fit
  if (model_.loaded()->causal()) engine_ = std::make_unique<Engine>(model_, engine_options(options, model_));
}

int64_t ServedModel::bytes() const { return model_.loaded()->weight_bytes(); }

int64_t ServedModel::n_ctx() const {
  if (engine_) return engine_->n_ctx();
  return options_.n_ctx ? std::min<int64_t>(options_.n_ctx, model_.n_ctx_train()) : model_.n_ctx_train();
}

Engine& ServedModel::engine() {
  if (!engine_) throw ApiError(501, "the model " + id_ + " writes no text; it makes embeddings");
  return *engine_;
}

const Tokenizer& ServedModel::tokenizer() const { return model_.loaded()->tokenizer(); }

Embedder& ServedModel::embedder() {
  const std::lock_guard lock(mutex_);
  if (!embedder_) embedder_ = make_embedder(model_, options_, options_.pooling);
  return *embedder_;
}

Embedder& ServedModel::ranker() {
  const std::lock_guard lock(mutex_);
  if (!model_.loaded()->has_scores()) throw ApiError(501, "the model " + id_ + " has no classifier to rank by");
  if (!ranker_) ranker_ = make_embedder(model_, options_, Pooling::kRank);
  if (!ranker_->ranks()) throw ApiError(501, "the classifier of the model " + id_ + " gives no score of a pair");
  return *ranker_;
}

const ModelTemplates& ServedModel::templates() {
  const Uninterrupted others_wait_for_the_lock;
  const std::lock_guard lock(mutex_);
  if (!templates_) templates_.emplace(model_.loaded()->meta(), tokenizer(), options_.chat_template);
  return *templates_;
}

SamplingParams ServedModel::sampling_defaults(float temperature) const {
  SamplingParams out = sampling_.params;
  const SamplingField field = &SamplingParams::temperature;
  if (std::ranges::find(sampling_.fields, field) == sampling_.fields.end()) out.temperature = temperature;
  return options_.sampling ? options_.sampling(out, model_) : out;
}

}  // namespace skald::serve
