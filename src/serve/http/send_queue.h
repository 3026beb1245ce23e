// Bytes that wait to be sent, in the pieces in which they came.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace skald::serve {

class SendQueue {
 public:
  size_t bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }

  void add(std::string piece) {
    if (piece.empty()) return;
    bytes_ += piece.size();
    pieces_.push_back(std::move(piece));
  }

  /// Returns the first pieces, at most `most`.
  std::vector<std::string_view> front(size_t most) const {
    std::vector<std::string_view> views(
        pieces_.begin() + static_cast<std::ptrdiff_t>(first_),
        pieces_.begin() + static_cast<std::ptrdiff_t>(std::min(pieces_.size(), first_ + most)));
    if (!views.empty()) views[0].remove_prefix(offset_);
    return views;
  }

  /// Drops the sent bytes; an empty queue holds no memory.
  void consume(size_t count) {
    bytes_ -= count;
    while (count > 0) {
      const size_t step = std::min(count, pieces_[first_].size() - offset_);
      offset_ += step;
      count -= step;
      if (offset_ < pieces_[first_].size()) break;
      pieces_[first_++] = {};
      offset_ = 0;
    }
    if (bytes_ == 0) {
      pieces_ = {};
      first_ = 0;
    } else if (first_ > pieces_.size() / 2) {
      pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }

  void clear() { *this = {}; }

 private:
  std::vector<std::string> pieces_;
  size_t first_ = 0;   // pieces before it are sent
  size_t offset_ = 0;  // sent bytes of the first
  size_t bytes_ = 0;
};

}  // namespace skald::serve
