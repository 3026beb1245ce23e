#include "serve/served_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/size_text.h"
#include "kernels/api/kv_page.h"
#include "loading/loaded_model.h"
#include "serve/api_error.h"
#include "stepping/memory_need.h"
#include "text/chat/replies/reply_parser.h"
#include "text/chat/template_source.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

constexpr int64_t kSpare = 16;  // a part of so many of the memory is left to others

Model load(const std::string& path, const LoadOptions& options) {
  return path.empty() ? Model::embedded(options) : Model::load(path, options);
}

int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
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
    return out;
  };
  const bool asked = options.n_ctx != 0;
  const int64_t wanted = asked ? options.n_ctx : longest * options.engine.schedule.n_parallel, memory = available_memory();
  const auto need = [&](int64_t tokens) { return memory_need(*model.loaded(), holding(tokens)); };
  // Weights that do not fit at all come from their file again and again, and take no room from the cache.
  const MemoryNeed most = need(wanted);
  const int64_t room = memory - memory / kSpare - (most.weights < memory / 2 ? most.weights : 0);
  if (most.cache + most.work <= room) return holding(wanted);
  if (asked)
    fail(Errc::kNoMemory, "cache.total_keys: {} tokens take {}, and there are {}", wanted, size_text(most.cache),
         size_text(memory));
  int64_t fits = 0, does_not = wanted / kPageKeys + 1;
  while (does_not - fits > 1) {
    const int64_t middle = fits + (does_not - fits) / 2;
    const MemoryNeed n = need(middle * kPageKeys);
    (n.cache + n.work <= room ? fits : does_not) = middle;
  }
  if (!fits) fail(Errc::kNoMemory, "there is no room for a cache: {} are there", size_text(memory));
  log(LogLevel::kWarn, "the cache holds {} tokens, which fit into memory, instead of {}", fits * kPageKeys, wanted);
  return holding(fits * kPageKeys);
}

struct ServedModel::Templates {
  Templates(const Model& model, const std::string& wanted)
      : plain(wanted.empty() ? model_template(model.loaded()->meta()) : named_template(wanted),
              special_texts(model.loaded()->tokenizer())) {
    std::string text = wanted.empty() ? find_template(model.loaded()->meta(), /*with_tools=*/true).text : plain.source();
    if (text != plain.source()) with_tools.emplace(std::move(text), special_texts(model.loaded()->tokenizer()));
    format = &detect_reply_format((with_tools ? *with_tools : plain).source());
  }

  ChatTemplate plain;
  std::optional<ChatTemplate> with_tools;
  const ReplyFormat* format;
};

ServedModel::ServedModel(const std::string& path, std::string id, const ServeOptions& options)
    : options_(options), path_(path), id_(std::move(id)), model_(load(path, options.load)), created_(unix_time()) {
  if (id_.empty()) id_ = model_.name();
  if (model_.loaded()->causal()) engine_ = std::make_unique<Engine>(model_, engine_options(options, model_));
}

int64_t ServedModel::bytes() const { return model_.loaded()->weight_bytes(); }

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

ServedModel::Templates& ServedModel::templates() {
  const std::lock_guard lock(mutex_);
  if (!templates_) templates_ = std::make_shared<Templates>(model_, options_.chat_template);
  return *templates_;
}

const ChatTemplate& ServedModel::chat_template(bool tools) {
  const Templates& all = templates();
  return tools && all.with_tools ? *all.with_tools : all.plain;
}

const ReplyFormat& ServedModel::reply_format() { return *templates().format; }

}  // namespace skald::serve
