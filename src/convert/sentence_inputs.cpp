#include "convert/sentence_inputs.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "convert/json_node.h"
#include "io/printable.h"

namespace skald {
namespace {

// Named after the model's kind in older folders.
constexpr std::array<std::string_view, 8> kTransformer = {
    "sentence_bert_config.json",      "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",  "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json",     "sentence_mpnet_config.json",
};

void describe_transformer(const JsonNode& config, Meta& meta) {
  if (config.flag("do_lower_case", false)) meta.set("sentence_transformers.do_lower_case", true);
  const auto most = config.find("max_seq_length");
  if (!most) return;
  if (most->integer() < 1 || most->integer() > UINT32_MAX) most->want("a number of tokens");
  meta.set("sentence_transformers.max_seq_length", static_cast<uint32_t>(most->integer()));
}

void describe_prompt(const JsonNode& config, Meta& meta) {
  const auto name = config.find("default_prompt_name");
  if (!name) return;
  const auto prompts = config.find("prompts");
  const auto prompt = prompts ? prompts->find(name->text()) : std::nullopt;
  if (!prompt) fail(Errc::kBadFile, "{}: prompts has no {}", name->name(), skald::quoted(name->text()));
  if (!prompt->text().empty()) meta.set("sentence_transformers.prompt", prompt->text());
}

template <class F>
void read(const HfDirectory& dir, std::string_view file, F&& f) {
  const nlohmann::json json = dir.read_json(file);
  const JsonNode root(json, dir.file_path(file));
  if (!root.is_object()) root.want("an object");
  f(root);
}

}  // namespace

void describe_sentence_inputs(const HfDirectory& dir, Meta& meta) {
  if (!dir.has("modules.json")) return;
  for (const std::string_view file : kTransformer) {
    if (!dir.has(file)) continue;
    read(dir, file, [&](const JsonNode& config) { describe_transformer(config, meta); });
    break;
  }
  constexpr std::string_view kWhole = "config_sentence_transformers.json";
  if (dir.has(kWhole)) read(dir, kWhole, [&](const JsonNode& config) { describe_prompt(config, meta); });
}

}  // namespace skald
