// TokenizerFiles: the JSON files of a tokenizer in a Hugging Face folder, as far as they are there.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/hf_directory.h"
#include "convert/json_node.h"
#include "convert/tokenizers/tokenizer_json.h"

namespace skald {

class TokenizerFiles {
 public:
  /// Reads them. Throws kBadFile naming the file and the key. `dir` must outlive this.
  explicit TokenizerFiles(const HfDirectory& dir);
  TokenizerFiles(const TokenizerFiles&) = delete;
  TokenizerFiles& operator=(const TokenizerFiles&) = delete;

  const HfDirectory& dir() const { return *dir_; }
  /// config.json, and the part of it that describes the language model where there are several.
  std::vector<JsonNode> model_configs() const;
  /// model_type of config.json: the language model's own, where there are several.
  std::string model_type() const;
  /// tokenizer_config.json's tokenizer_class without "Fast"; empty where it does not say.
  std::string tokenizer_class() const;

  const JsonNode* config() const { return config_ ? &*config_ : nullptr; }              // tokenizer_config.json
  const JsonNode* generation() const { return generation_ ? &*generation_ : nullptr; }  // generation_config.json
  const TokenizerJson* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }

  /// Returns the name of a special token ("bos_token"), from tokenizer_config.json or special_tokens_map.json.
  std::optional<std::string> token_name(std::string_view key) const;

  /// Returns the rules of that token, where tokenizer_config.json describes it as an object.
  std::optional<TokenRules> role_rules(std::string_view key) const;

  /// Returns all files' added tokens, by the files' rising importance: of two with the same id, the last counts.
  std::vector<AddedToken> added_tokens() const;

 private:
  std::vector<std::string> special_names() const;
  std::optional<JsonNode> open(std::string_view file);

  const HfDirectory* dir_;
  std::vector<std::shared_ptr<const nlohmann::json>> parsed_;  // the files that the nodes refer to
  std::optional<JsonNode> config_, special_, generation_, added_;
  std::optional<TokenizerJson> tokenizer_;
};

}  // namespace skald
