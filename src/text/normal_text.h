// NormalText: a normalized text that knows where its bytes come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

class NormalText {
 public:
  /// `normal` stands for a part of the text that begins at `from`, after those of earlier calls.
  void add(std::string_view normal, size_t from) {
    text_ += normal;
    from_.resize(text_.size(), static_cast<uint32_t>(from));
  }
  /// The text's size, after the last part.
  void end(size_t size) { from_.push_back(static_cast<uint32_t>(size)); }

  const std::string& text() const { return text_; }
  /// Returns the place in the text of a byte, or of the end.
  size_t from(size_t at) const { return from_[at]; }
  /// Returns whether a part begins or ends there.
  bool is_edge(size_t at) const { return at == 0 || at == text_.size() || from_[at] != from_[at - 1]; }

 private:
  std::string text_;
  std::vector<uint32_t> from_;  // of each byte, and of the end
};

}  // namespace skald
