#include "text/line_indent.h"

namespace skald {

std::string_view LineIndent::push(std::string_view piece) {
  if (ended_) return {};
  if (least_ == 0) return piece;
  for (size_t i = 0; i < piece.size(); ++i) {
    const bool blank = piece[i] == ' ' || piece[i] == '\t';
    if (within_blanks_ && blank) {
      ++blanks_;
      continue;
    }
    ended_ = within_blanks_ && blanks_ < least_;
    if (ended_) return piece.substr(0, i);
    within_blanks_ = piece[i] == '\n';
    blanks_ = 0;
  }
  return piece;
}

}  // namespace skald
