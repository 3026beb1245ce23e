#include "serve/fleet/prompt_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "kernels/api/kv_page.h"
#include "loading/loaded_model.h"
#include "loading/model_sum.h"

namespace skald::serve {
namespace {

constexpr size_t kPrefixDigits = 16;

std::span<const TokenId> first_of(std::span<const TokenId> tokens, int64_t n) {
  return tokens.first(static_cast<size_t>(std::min(n, std::ssize(tokens))));
}

}  // namespace

PromptName name_prompt(const GenerationRequest& what, const ServedModel& model, const ServeOptions& options) {
  const std::span<const TokenId> prompt = what.prompts.front();
  PromptName out{.space = prefix_space(what.request.scope, options.reuse_generated), .tokens = std::ssize(prompt)};
  const Sha256Sum root = digest_root(meta_sum(model.model().loaded()->meta()), out.space);
  const std::span<const TokenId> beginning = first_of(prompt, options.route_pages * kPageKeys);
  const std::vector<PrefixHash> pages = prefix_hashes(root, beginning);
  out.prefix = pages.empty() ? prefix_hash(digest_key(root, beginning)) : pages.back();
  // The last token is always computed: its logits are wanted.
  if (what.request.cache_prompt && !what.request.prompt_log_probs)
    out.hashes = prefix_hashes(root, prompt.first(prompt.size() - 1));
  return out;
}

std::string prefix_text(PrefixHash hash) { return fmt::format("{:016x}", hash); }

std::optional<PrefixHash> prefix_of(std::string_view text) {
  PrefixHash hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text.size() != kPrefixDigits || error != std::errc{} || end != text.data() + text.size()) return {};
  return hash;
}

}  // namespace skald::serve
