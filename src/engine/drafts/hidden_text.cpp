#include "engine/drafts/hidden_text.h"

#include <algorithm>
#include <utility>

namespace skald {

HiddenText HiddenText::fork() const {
  HiddenText out(kv_.fork());
  out.next_ = next_;
  out.d_ = d_;
  out.rows_ = rows_;
  return out;
}

void HiddenText::see(int64_t first, const Logits& hidden, int64_t first_row, int64_t n) {
  d_ = hidden.cols();
  if (first > end()) {  // those between were never seen
    kv_.clear();
    rows_.clear();
    next_ = first + 1;
  }
  const int64_t known = std::min(n, std::max<int64_t>(0, next_ - 1 - first));  // it has read what follows them
  if (known == n) return;
  rows_.resize(static_cast<size_t>((first + known - (next_ - 1)) * d_));
  const std::span<const float> more = hidden.rows(first_row + known, n - known);
  rows_.insert(rows_.end(), more.begin(), more.end());
}

std::span<const TokenId> HiddenText::unread(std::span<const TokenId> text, int64_t computed, int64_t most) const {
  const int64_t to = std::min({std::ssize(text), computed + 1, end() + 1});
  if (to <= next_) return {};
  return text.subspan(static_cast<size_t>(next_), static_cast<size_t>(std::min(most, to - next_)));
}

std::span<const float> HiddenText::rows_before(std::span<const TokenId> tokens) const {
  return std::span(rows_).first(tokens.size() * static_cast<size_t>(d_));
}

void HiddenText::note_read(std::span<const TokenId> tokens) {
  rows_.erase(rows_.begin(), rows_.begin() + std::ssize(tokens) * d_);
  next_ += std::ssize(tokens);
}

void HiddenText::make_room(int64_t n, int64_t most) {
  if (kv_.length() + n > most) kv_.clear();
}

void HiddenText::forget() {
  kv_.clear();
  next_ = end() + 1;
  rows_.clear();
}

}  // namespace skald
