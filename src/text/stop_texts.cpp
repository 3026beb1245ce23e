#include "text/stop_texts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace skald {

std::string_view StopTexts::push(std::string_view piece) {
  if (texts_.empty()) return piece;
  if (found()) return {};
  pending_ += piece;
  const Match match = first_match();
  found_ = match.text;
  const size_t sure = found() ? match.begin : pending_.size() - held_back();
  ready_.assign(pending_, 0, sure);
  pending_.erase(0, found() ? std::string::npos : sure);
  return ready_;
}

std::string_view StopTexts::flush() {
  ready_ = std::exchange(pending_, {});
  return ready_;
}

// Where the text would have stopped, had it come byte by byte.
StopTexts::Match StopTexts::first_match() const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  Match best{kNone, kNone, kNone};
  for (size_t i = 0; i < texts_.size(); ++i) {
    const size_t at = pending_.find(texts_[i]);
    if (at == std::string::npos) continue;
    const Match match{i, at, at + texts_[i].size()};
    if (std::tie(match.end, match.begin) < std::tie(best.end, best.begin)) best = match;
  }
  return best;
}

// Bytes at the end that a stop text may begin with.
size_t StopTexts::held_back() const {
  size_t most = 0;
  for (const std::string& text : texts_)
    for (size_t n = std::min(text.size() - 1, pending_.size()); n > most; --n)
      if (std::string_view(pending_).ends_with(std::string_view(text).substr(0, n))) most = n;
  return most;
}

}  // namespace skald
