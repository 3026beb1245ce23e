#include "engine/prefix_digest.h"

#include <algorithm>
#include <new>
#include <utility>

#include "kv/disk/record_name.h"

namespace skald {

Sha256Sum digest_root(const Sha256Sum& model, std::string_view space) { return root_key(model, space); }

Sha256Sum digest_key(const Sha256Sum& before, std::span<const TokenId> tokens) {
  return sha256({before, std::as_bytes(tokens)});
}

PrefixHash prefix_hash(const Sha256Sum& key) {
  PrefixHash out = 0;
  for (size_t i = 0; i < sizeof(out); ++i) out = out << 8 | std::to_integer<PrefixHash>(key[i]);
  return out;
}

std::vector<PrefixHash> prefix_hashes(const Sha256Sum& root, std::span<const TokenId> tokens) {
  std::vector<PrefixHash> out;
  Sha256Sum key = root;
  for (; std::ssize(tokens) >= kPageKeys; tokens = tokens.subspan(kPageKeys))
    out.push_back(prefix_hash(key = digest_key(key, tokens.first(kPageKeys))));
  return out;
}

std::string prefix_space(std::string_view scope, bool generated) {
  return std::string(1, generated ? 'g' : 'p').append(scope);
}

void PrefixDigest::add(std::string_view space, const Sha256Sum& key, int64_t page) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    auto pages = spaces_.find(space);
    if (pages == spaces_.end()) pages = spaces_.emplace(std::string(space), Pages{}).first;
    Page& one = pages->second[prefix_hash(key)];
    one.number = page;
    ++one.count;
  } catch (const std::bad_alloc&) {
    return;  // routing is then less good, and nothing else
  }
}

void PrefixDigest::remove(std::string_view space, const Sha256Sum& key) noexcept {
  const std::lock_guard lock(mutex_);
  const auto pages = spaces_.find(space);
  if (pages == spaces_.end()) return;
  const auto page = pages->second.find(prefix_hash(key));
  if (page == pages->second.end()) return;
  if (--page->second.count > 0) return;
  pages->second.erase(page);
  if (pages->second.empty()) spaces_.erase(pages);
}

int64_t PrefixDigest::pages(std::string_view space, std::span<const PrefixHash> prompt) const {
  const std::lock_guard lock(mutex_);
  const auto pages = spaces_.find(space);
  if (pages == spaces_.end()) return 0;
  const auto last = std::find_if(prompt.rbegin(), prompt.rend(), [&](PrefixHash h) { return pages->second.contains(h); });
  return prompt.rend() - last;
}

bool PrefixDigest::has(std::string_view owner, PrefixHash page) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(spaces_, [&](const auto& space) {
    return std::string_view(space.first).substr(1).starts_with(owner) && space.second.contains(page);
  });
}

std::vector<PrefixHash> PrefixDigest::list(std::string_view owner, size_t most) const {
  std::vector<std::pair<int64_t, PrefixHash>> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [space, pages] : spaces_)
      if (std::string_view(space).substr(1).starts_with(owner))
        for (const auto& [hash, page] : pages) found.emplace_back(page.number, hash);
  }
  std::ranges::sort(found);
  if (found.size() > most) found.resize(most);
  std::vector<PrefixHash> out;
  out.reserve(found.size());
  for (const auto& [number, hash] : found) out.push_back(hash);
  return out;
}

}  // namespace skald
