#include "convert/tokenizers/tokenizer_parts.h"

#include "base/error.h"
#include "text/charsmap.h"

namespace skald {
namespace {

void set_flag(Meta& meta, const char* key, std::optional<bool> value) {
  if (value) meta.set(key, *value);
}

// Nothing is written where no token has a rule, unless the model's name would say that some have.
void set_token_rules(const TokenizerParts& parts, Meta& meta) {
  bool any_normalized = false, none = true;
  for (const TokenRuleKey& rule : kTokenRuleKeys) {
    std::vector<int32_t> ids;
    for (const auto& [id, rules] : parts.rules)
      if (rules.*rule.rule && parts.pieces.find(id)) ids.push_back(static_cast<int32_t>(id));
    if (ids.empty()) continue;
    none = false;
    any_normalized = any_normalized || rule.rule == &TokenRules::normalized;
    meta.set(rule.key(), MetaArray{std::move(ids)});
  }
  if (any_normalized && parts.space_first) meta.set(kSpaceFirstKey, true);
  if (none && strips_by_name(meta)) meta.set(kTokenRuleKeys[0].key(), MetaArray{std::vector<int32_t>()});
}

}  // namespace

std::string checked_charsmap(std::string bytes) {
  if (!bytes.empty()) doing("precompiled_charsmap", [&] { Charsmap{bytes}; });
  return bytes;
}

void set_vocabulary(const TokenizerParts& parts, Meta& meta) {
  std::vector<std::string> texts;
  std::vector<int32_t> kinds;
  std::vector<float> scores;
  for (Piece& piece : parts.pieces.filled()) {
    texts.push_back(std::move(piece.text));
    kinds.push_back(static_cast<int32_t>(piece.kind));
    scores.push_back(piece.score);
  }
  meta.set("tokenizer.ggml.model", parts.model);
  meta.set("tokenizer.ggml.pre", parts.pre);
  meta.set("tokenizer.ggml.tokens", MetaArray{std::move(texts)});
  if (parts.has_scores) meta.set("tokenizer.ggml.scores", MetaArray{std::move(scores)});
  meta.set("tokenizer.ggml.token_type", MetaArray{std::move(kinds)});
  if (!parts.merges.empty()) meta.set("tokenizer.ggml.merges", MetaArray{parts.merges});
  set_flag(meta, "tokenizer.ggml.add_space_prefix", parts.add_space_prefix);
  set_flag(meta, "tokenizer.ggml.remove_extra_whitespaces", parts.remove_extra_whitespaces);
  if (!parts.charsmap.empty()) {
    meta.set("tokenizer.ggml.precompiled_charsmap",
             MetaArray{std::vector<uint8_t>(parts.charsmap.begin(), parts.charsmap.end())});
  }
  set_flag(meta, "tokenizer.ggml.normalizer.lowercase", parts.lowercase);
  set_flag(meta, "tokenizer.ggml.normalizer.strip_accents", parts.strip_accents);
  set_token_rules(parts, meta);
}

}  // namespace skald
