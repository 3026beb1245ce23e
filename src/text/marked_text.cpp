#include "text/marked_text.h"

#include <algorithm>

namespace skald {

void MarkedText::append(std::string_view bytes, bool trusted) {
  if (bytes.empty()) return;
  if (bytes_.empty()) {
    first_ = trusted;
    flips_.clear();
  } else if (trusted_before_flip(flips_.size()) != trusted) {
    flips_.push_back(bytes_.size());
  }
  bytes_ += bytes;
}

void MarkedText::append(const MarkedText& text, size_t begin, size_t end) {
  auto add = [this](std::string_view run, bool trusted) { append(run, trusted); };
  text.for_each_run(begin, end, add);
}

MarkedText MarkedText::slice(size_t begin, size_t end) const {
  MarkedText out;
  out.append(*this, begin, end);
  return out;
}

size_t MarkedText::flip_after(size_t at) const {
  if (flips_.empty()) return 0;
  return static_cast<size_t>(std::ranges::upper_bound(flips_, at) - flips_.begin());
}

bool MarkedText::is_trusted(size_t begin, size_t end) const {
  const size_t flip = flip_after(begin);
  return begin >= end || (trusted_before_flip(flip) && (flip == flips_.size() || flips_[flip] >= end));
}

}  // namespace skald
