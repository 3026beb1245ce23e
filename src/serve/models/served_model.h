// ServedModel: a model that answers: its engine, how it writes chats, and its embedder.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loading/sampling_defaults.h"
#include "serve/models/lora_list.h"
#include "serve/options.h"
#include "skald/embedder.h"
#include "skald/engine.h"
#include "skald/model.h"
#include "text/chat/model_templates.h"

namespace skald::serve {

class ServedModel {
 public:
  /// Loads it: `path` empty is the embedded model. `id`: its name in answers; empty: the model's own. Throws Error.
  ServedModel(const std::string& path, std::string id, const ServeOptions& options);

  const std::string& id() const { return id_; }
  const std::string& path() const { return path_; }
  const ServeOptions& options() const { return options_; }
  const Model& model() const { return model_; }
  int64_t created() const { return created_; }  // Unix time
  int64_t bytes() const;

  bool writes() const { return engine_ != nullptr; }
  /// Returns the most tokens of one request that the options and the model allow.
  int64_t n_ctx() const;
  /// Throws ApiError (501) for a model that only reads.
  Engine& engine();
  LoraList& loras() { return loras_; }
  const Tokenizer& tokenizer() const;
  /// Made when first asked for. Throws Error for a model that gives no vectors.
  Embedder& embedder();
  /// As embedder(), of a model with a classifier. Throws ApiError (501) for others.
  Embedder& ranker();

  /// Returns the template for chats without or with tools. Throws Error for one that is wrong.
  const ChatTemplate& chat_template(bool tools) { return templates().of(tools); }
  const ReplyFormat& reply_format() { return templates().format(); }

  /// Gives the parameters of the server's flags, else the model's file, else the library's defaults; without any
  /// temperature, this one.
  SamplingParams sampling_defaults(float temperature) const;

 private:
  const ModelTemplates& templates();

  const ServeOptions& options_;
  std::string path_, id_;
  Model model_;
  int64_t created_;
  std::unique_ptr<Engine> engine_;
  std::mutex mutex_;
  std::unique_ptr<Embedder> embedder_, ranker_;
  std::optional<ModelTemplates> templates_;
  SamplingDefaults sampling_;
  LoraList loras_;
};

/// Makes the options of a model's engine: the cache has room for options.n_ctx tokens, or as many as memory allows.
EngineOptions engine_options(const ServeOptions& options, const Model& model);

}  // namespace skald::serve
