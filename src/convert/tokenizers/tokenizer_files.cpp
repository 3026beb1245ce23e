#include "convert/tokenizers/tokenizer_files.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace skald {
namespace {

// A token is its name, or an object with the name in it.
std::string name_of(const JsonNode& token) { return token.is_object() ? token.at("content").text() : token.text(); }

std::optional<std::string> name_in(const std::optional<JsonNode>& file, std::string_view key) {
  const auto token = file ? file->find(key) : std::nullopt;
  if (!token) return std::nullopt;
  return name_of(*token);
}

// Texts that most vocabularies of 2023 call special without marking them so; llama.cpp's converter has the same rule.
bool looks_special(std::string_view text) {
  if (text == "<pad>" || text == "<mask>" || text == "<2mass>" || text == "[@BOS@]") return true;
  return (text.starts_with("<|") && text.ends_with("|>")) || (text.starts_with("<｜") && text.ends_with("｜>")) ||
         (text.starts_with("<unused") && text.ends_with(">"));
}

int64_t id_of_key(const std::string& key, const JsonNode& list) {
  int64_t id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size()) list.at(key).want("an id as its key");
  return id;
}

void append_names(const JsonNode& file, std::vector<std::string>& out) {
  for (const std::string_view key : {"additional_special_tokens", "extra_special_tokens"})
    if (const auto list = file.find(key); list && list->raw().is_array())
      for (size_t i = 0; i < list->size(); ++i) out.push_back(name_of(list->at(i)));
}

void append_added(const JsonNode& added, const std::vector<std::string>& special, std::vector<AddedToken>& out) {
  for (const auto& [text, id] : added.raw().items()) {
    const bool is_special = std::ranges::count(special, text) > 0;
    out.push_back({added.at(text).integer(), text, is_special, {.normalized = !is_special}});
  }
}

void append_decoder(const JsonNode& config, std::vector<AddedToken>& out) {
  const auto decoder = config.find("added_tokens_decoder");
  if (!decoder) return;
  if (!decoder->is_object()) decoder->want("an object");
  for (const auto& [key, token] : decoder->raw().items()) {
    const JsonNode node = decoder->at(key);
    out.push_back({id_of_key(key, *decoder), node.at("content").text(), node.flag("special", false), token_rules_of(node)});
  }
}

}  // namespace

TokenizerFiles::TokenizerFiles(const HfDirectory& dir) : dir_(&dir) {
  config_ = open("tokenizer_config.json");
  special_ = open("special_tokens_map.json");
  generation_ = open("generation_config.json");
  added_ = open("added_tokens.json");
  if (const auto root = open("tokenizer.json")) tokenizer_ = TokenizerJson::parse(*root);
}

std::optional<JsonNode> TokenizerFiles::open(std::string_view file) {
  if (!dir_->has(file)) return std::nullopt;
  parsed_.push_back(std::make_shared<const nlohmann::json>(dir_->read_json(file)));
  JsonNode out(*parsed_.back(), dir_->file_path(file));
  if (!out.is_object()) out.want("an object");
  return out;
}

std::vector<JsonNode> TokenizerFiles::model_configs() const {
  std::vector<JsonNode> out = {{dir_->config(), dir_->file_path("config.json")}};
  if (const auto text = out[0].find("text_config"); text && text->is_object()) out.push_back(*text);
  return out;
}

std::string TokenizerFiles::model_type() const {
  std::string out;
  for (const JsonNode& config : model_configs()) out = config.text("model_type", out);
  if (out.ends_with("_text")) out.resize(out.size() - 5);  // gemma3_text
  return out;
}

std::string TokenizerFiles::tokenizer_class() const {
  std::string out = config_ ? config_->text("tokenizer_class", "") : "";
  if (out.ends_with("Fast")) out.resize(out.size() - 4);
  return out;
}

std::optional<std::string> TokenizerFiles::token_name(std::string_view key) const {
  if (auto name = name_in(config_, key)) return name;
  return name_in(special_, key);
}

std::optional<TokenRules> TokenizerFiles::role_rules(std::string_view key) const {
  const auto token = config_ ? config_->find(key) : std::nullopt;
  if (!token || !token->is_object()) return std::nullopt;
  TokenRules out = token_rules_of(*token);
  out.normalized = token->flag("normalized", false);  // it is special, whether or not it says so
  return out;
}

std::vector<std::string> TokenizerFiles::special_names() const {
  std::vector<std::string> out;
  if (special_) append_names(*special_, out);
  if (config_) append_names(*config_, out);
  return out;
}

std::vector<AddedToken> TokenizerFiles::added_tokens() const {
  std::vector<AddedToken> out;
  if (added_) append_added(*added_, special_names(), out);
  if (tokenizer_) out.insert(out.end(), tokenizer_->added.begin(), tokenizer_->added.end());
  if (config_) append_decoder(*config_, out);
  for (AddedToken& token : out) token.special = token.special || looks_special(token.text);
  return out;
}

}  // namespace skald
