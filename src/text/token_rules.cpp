#include "text/token_rules.h"

#include "base/error.h"
#include "base/lowercase.h"

namespace skald {

std::optional<std::vector<TokenRules>> read_token_rules(const Meta& meta, size_t n) {
  std::vector<TokenRules> out(n);
  bool any = false;
  for (const TokenRuleKey& rule : kTokenRuleKeys) {
    const std::string key = rule.key();
    if (!meta.has(key)) continue;
    any = true;
    for (const int64_t id : meta.ints(key)) {
      if (id < 0 || id >= static_cast<int64_t>(n)) fail(Errc::kBadFile, "key {}: no token {}", key, id);
      out[static_cast<size_t>(id)].*rule.rule = true;
    }
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

bool strips_by_name(const Meta& meta) {
  const std::string name = lowercase(meta.str("general.name", ""));
  return name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
}

}  // namespace skald
