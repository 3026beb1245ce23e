// StopTexts: finds the first of some texts in a text that comes piece by piece, and holds back bytes that may be the
// beginning of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

class StopTexts {
 public:
  static constexpr size_t kMostTexts = 256, kMostBytes = 4096;  // and bytes of each

  StopTexts() = default;
  /// None may be empty.
  explicit StopTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  /// Returns the text that certainly goes before any stop text, of this piece and of the held-back text; valid until the
  /// next call. Nothing comes after a stop text was found.
  std::string_view push(std::string_view piece);
  /// Returns the text that is held back at the text's end.
  std::string_view flush();

  /// Returns the one that was found, else null. Of those that end first it is the one that begins first.
  const std::string* found() const { return found_ < texts_.size() ? &texts_[found_] : nullptr; }

 private:
  struct Match {
    size_t text, begin, end;
  };
  Match first_match() const;
  size_t held_back() const;

  std::vector<std::string> texts_;
  size_t found_ = static_cast<size_t>(-1);
  std::string pending_, ready_;
};

}  // namespace skald
