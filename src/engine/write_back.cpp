#include "engine/write_back.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "kv/page_bytes.h"

namespace skald {
namespace {

constexpr int64_t kMostPrompts = 1024;

std::span<const TokenId> page_of(std::span<const TokenId> tokens, int64_t page) {
  return tokens.subspan(static_cast<size_t>(page * kPageKeys), static_cast<size_t>(kPageKeys));
}

}  // namespace

void WriteBack::push(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt) {
  if (std::ssize(prompt) < kPageKeys) return;
  if (std::ssize(prompts_) >= kMostPrompts) prompts_.pop_front();
  prompts_.push_back({ns, {prompt.begin(), prompt.end()}});
}

void WriteBack::drop(const PrefixIndex::Namespace& ns, std::span<const TokenId> tokens, int64_t page) {
  const std::span<const TokenId> gone = tokens.first(static_cast<size_t>((page + 1) * kPageKeys));
  for (Prompt& p : prompts_)
    if (p.ns == ns && std::ssize(p.tokens) >= std::ssize(gone) &&
        std::ranges::equal(gone, std::span(p.tokens).first(gone.size())))
      p.tokens.resize(static_cast<size_t>(page * kPageKeys));
}

bool WriteBack::holds(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt) const {
  return std::ranges::any_of(prompts_, [&](const Prompt& p) { return p.ns == ns && std::ranges::equal(p.tokens, prompt); });
}

int64_t WriteBack::pages() const {
  int64_t n = 0;
  for (const Prompt& p : prompts_) n += std::max<int64_t>(0, std::ssize(p.tokens) / kPageKeys - p.page);
  return n;
}

void WriteBack::write(const std::function<bool()>& is_over) {
  while (has_work()) {
    bool over = true;  // a prompt whose pages cannot be read is not written
    guarded("pages on their way to the disk", [&] { over = write(prompts_.front(), is_over); });
    if (!over) return;
    prompts_.pop_front();
  }
}

// True when all of it is handed on, or gone.
bool WriteBack::write(Prompt& p, const std::function<bool()>& is_over) {
  const std::span<const PageKey> keys = disk_.keys(p.ns.scope, p.tokens);
  const std::vector<PrefixIndex::Page> pages = tree_.pages_of(p.ns, p.tokens);
  const auto n = std::ssize(pages);
  if (!write_end(p, pages, keys, is_over)) return false;
  while (p.page < n) {
    if (is_over() || !disk_.can_write()) return false;
    if (!write_page(p, pages[static_cast<size_t>(p.page)], keys[static_cast<size_t>(p.page)])) break;
    ++p.page;
  }
  std::vector<RecordName> path;
  for (int64_t page = 0; page < std::min(p.page, std::ssize(keys)); ++page)
    for (const RecordPart part : p.parts[static_cast<size_t>(page)]) path.push_back({keys[static_cast<size_t>(page)], part});
  disk_.use(path);
  return true;
}

// No hit ends at a prompt's end without its windows, and these are the first to be evicted: they go before all pages. False
// where it is not over yet.
bool WriteBack::write_end(Prompt& p, std::span<const PrefixIndex::Page> pages, std::span<const PageKey> keys,
                          const std::function<bool()>& is_over) {
  const auto n = std::ssize(pages);
  for (int64_t page = p.page; page < n && !p.has_end; ++page)
    for (const RecordPart part : parts_of(cache_, page * kPageKeys, n * kPageKeys)) {
      if (part.number < 0) continue;
      if (is_over() || !disk_.can_write()) return false;
      write_part(p, page, keys[static_cast<size_t>(page)], part,
                 [&] { return read_page(cache_, *pages[static_cast<size_t>(page)].pages, part); });
    }
  p.has_end = true;
  return true;
}

// Whether it is there now.
bool WriteBack::write_part(const Prompt& p, int64_t page, const PageKey& key, RecordPart part,
                           const std::function<std::optional<PageStore::Payload>()>& read) {
  if (disk_.has({key, part})) return true;
  std::optional<PageStore::Payload> payload = read();
  if (!payload) return false;
  disk_.write({key, part}, page_of(p.tokens, page), std::move(*payload));
  return true;
}

// False where the page was not made as a prompt: nor were those after it.
bool WriteBack::write_page(Prompt& p, const PrefixIndex::Page& page, const PageKey& key) {
  const auto write = [&](RecordPart part, const std::function<std::optional<PageStore::Payload>()>& read) {
    const bool there = write_part(p, p.page, key, part, read);
    if (there) p.parts.back().push_back(part);
    return there;
  };
  p.parts.resize(static_cast<size_t>(p.page));
  p.parts.emplace_back();
  if (!write({}, [&] { return read_page(cache_, *page.pages, {}); })) return false;
  const int64_t end = page.pages->end;
  // The parts that a sequence would need that ends here: its windows, and its checkpoint.
  for (const RecordPart part : parts_of(cache_, page.pages->first, end)) {
    if (part.is_page()) continue;
    if (part.number != RecordPart::kCheckpoint)
      write(part, [&] { return read_page(cache_, *page.pages, part); });
    else if (page.is_checkpoint)
      write(part, [&] { return read_checkpoint(p.ns, std::span(p.tokens).first(static_cast<size_t>(end))); });
  }
  return true;
}

std::optional<PageStore::Payload> WriteBack::read_checkpoint(const PrefixIndex::Namespace& ns,
                                                             std::span<const TokenId> tokens) {
  const Past past = tree_.take(ns, tokens);
  if (past.kv.length() != std::ssize(tokens)) return {};
  return SequenceBytes::read_checkpoint(past.kv);
}

}  // namespace skald
