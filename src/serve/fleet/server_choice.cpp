#include "serve/fleet/server_choice.h"

#include <tuple>

#include "serve/fleet/prompt_name.h"

namespace skald::serve {
namespace {

PrefixHash rank_of(const std::string& url, PrefixHash prefix) {
  const std::string text = prefix_text(prefix) + url;
  return prefix_hash(sha256({std::as_bytes(std::span(text))}));
}

}  // namespace

size_t choose_server(std::span<const Candidate> all, PrefixHash prefix) {
  const auto worth = [&](const Candidate& one) { return std::tuple(one.pages, -one.ahead, rank_of(one.url, prefix)); };
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (worth(all[i]) > worth(all[best])) best = i;
  return best;
}

}  // namespace skald::serve
