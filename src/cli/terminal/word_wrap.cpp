#include "cli/terminal/word_wrap.h"

#include <algorithm>
#include <utility>

#include "base/terminal_text.h"
#include "cli/terminal/cells.h"
#include "cli/terminal/code_fences.h"

namespace skald {
namespace {

constexpr int kTab = 8;
constexpr uint32_t kJoiner = 0x200d;                                                    // makes one emoji of several
constexpr std::u32string_view kNeverFirst = U"、。，．！？：；）］｝」』】》〉・ー々";  // of a line
constexpr std::u32string_view kNeverLast = U"（［｛「『【《〈";

bool is_in(uint32_t c, std::u32string_view set) { return set.find(static_cast<char32_t>(c)) != std::u32string_view::npos; }

// Korean has blanks between words.
bool is_hangul(uint32_t c) { return (c >= 0x1100 && c <= 0x11ff) || (c >= 0xac00 && c <= 0xd7a3); }

bool stands_alone(uint32_t c) { return cells_of(c) == 2 && !is_hangul(c); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool WordWrap::breaks_before(uint32_t c) const {
  if (word_cells_ == 0 || cells_of(c) == 0 || last_ == kJoiner) return false;
  return (stands_alone(c) || stands_alone(last_)) && !is_in(c, kNeverFirst) && !is_in(last_, kNeverLast);
}

int WordWrap::gap_cells() const {
  int column = column_;
  for (const char c : gap_) column += c == '\t' ? kTab - column % kTab : 1;
  return column - column_;
}

void WordWrap::place_word() {
  const int gap = gap_cells();
  const bool fits = column_ + gap + word_cells_ <= columns_;
  if (fits) {
    out_ += std::exchange(gap_, {});
    column_ += gap;
  } else if (has_words_) {
    end_line();
    column_ = hang_ * 3 <= columns_ * 2 && hang_ + word_cells_ <= columns_ ? hang_ : 0;
    out_.append(static_cast<size_t>(column_), ' ');
  }
  gap_.clear();
  has_words_ = true;
}

void WordWrap::end_line() {
  out_ += '\n';
  gap_.clear();
  column_ = 0;
  has_words_ = false;
}

// Attributes alone are no word: the blanks around them are one gap.
void WordWrap::end_word() {
  if (!spills_ && word_cells_ > 0) {
    place_word();
    column_ += word_cells_;
  }
  out_ += std::exchange(word_, {});
  word_cells_ = 0;
  last_ = 0;
  spills_ = false;
}

void WordWrap::take(uint32_t c, std::string_view bytes) {
  if (breaks_before(c)) end_word();
  const int cells = cells_of(c);
  word_ += bytes;
  word_cells_ += cells;
  last_ = c;
  if (!spills_ && word_cells_ <= columns_) return;
  if (!spills_) {
    place_word();
    column_ += word_cells_ - cells;
  }
  spills_ = true;
  out_ += std::exchange(word_, {});
  column_ = column_ + cells > columns_ ? cells : column_ + cells;  // the terminal begins a line
}

std::string WordWrap::push(std::string_view text, int columns) {
  columns_ = std::max(columns, 1);
  while (!text.empty()) {
    const char c = text.front();
    size_t bytes = 1;
    if (c == '\x1b' || in_attribute_) {
      word_ += c;
      in_attribute_ = !is_letter(c);
    } else if (c == '\n') {
      end_word();
      end_line();
    } else if (c == ' ' || c == '\t') {
      end_word();
      gap_ += c;
    } else {
      const CodePoint point = decode_front(text);
      bytes = std::max<size_t>(point.bytes, 1);
      take(point.value, text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return std::exchange(out_, {});
}

std::string WordWrap::finish() {
  end_word();
  gap_.clear();
  return std::exchange(out_, {});
}

std::string WordWrap::pass(std::string_view lines) {
  end_word();
  out_ += lines;
  column_ = 0;
  has_words_ = false;
  return std::exchange(out_, {});
}

std::string wrapped(std::string_view text, int columns, int hang) {
  WordWrap wrap(hang);
  CodeFences fences;
  std::string out;
  const auto take = [&](std::string_view piece, bool code) { out += code ? wrap.pass(piece) : wrap.push(piece, columns); };
  fences.push(text, take);
  fences.finish(take);
  return out + wrap.finish();
}

}  // namespace skald
