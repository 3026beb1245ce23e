// LineIndent: ends a text that comes piece by piece at a line that begins with too few blanks.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

class LineIndent {
 public:
  LineIndent() = default;
  /// `least`: spaces and tabs that lines begin with, but for the first one; 0: any number.
  explicit LineIndent(int64_t least) : least_(least) {}

  /// Takes the next piece and gives the part of it that belongs to the text. Of a line with fewer blanks these blanks do,
  /// and nothing after them.
  std::string_view push(std::string_view piece);
  bool ended() const { return ended_; }

 private:
  int64_t least_ = 0, blanks_ = 0;
  bool within_blanks_ = false, ended_ = false;
};

}  // namespace skald
