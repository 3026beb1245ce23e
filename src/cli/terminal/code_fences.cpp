#include "cli/terminal/code_fences.h"

#include <algorithm>

namespace skald {
namespace {

constexpr size_t kLeastMarks = 3;
constexpr size_t kLongestFence = 256;  // bytes of its line: a longer one is none

// A line as a fence: blanks, marks, and the words after them.
struct FenceLine {
  char mark;
  size_t marks;
  std::string_view words;
};

FenceLine read_fence(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.empty()) return {0, 0, {}};
  const char mark = line[0];
  if (mark != '`' && mark != '~') return {0, 0, line};
  const size_t marks = std::min(line.find_first_not_of(mark), line.size());
  return {mark, marks, line.substr(marks)};
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

// Words with a ` after ``` make the line a code span within prose.
bool CodeFences::may_be_fence() const {
  const bool ends_inside_character = !held_.empty() && static_cast<unsigned char>(held_.back()) >= 0x80;
  if (held_.size() > kLongestFence && !ends_inside_character) return false;
  const FenceLine fence = read_fence(held_);
  if (!fence.mark) return fence.words.empty();
  if (in_code()) return fence.mark == mark_ && is_blank(fence.words);
  if (fence.marks < kLeastMarks) return fence.words.empty();
  return fence.mark == '~' || fence.words.find('`') == std::string_view::npos;
}

void CodeFences::end_line(const Take& take) {
  const FenceLine fence = read_fence(held_);
  const bool was_code = in_code();
  if (was_code ? fence.marks >= length_ : fence.marks >= kLeastMarks) {
    mark_ = fence.mark;
    length_ = was_code ? 0 : fence.marks;
  }
  held_ += '\n';
  take(held_, was_code || in_code());
  held_.clear();
}

// Hands on the line's beginning but for the last byte, with which a character may begin.
void CodeFences::decide(const Take& take) {
  held_.pop_back();
  if (!held_.empty()) take(held_, in_code());
  held_.clear();
  decided_ = true;
}

void CodeFences::push(std::string_view text, const Take& take) {
  while (!text.empty()) {
    if (decided_) {
      const size_t end = text.find('\n');
      decided_ = end == std::string_view::npos;
      const std::string_view line = text.substr(0, decided_ ? text.size() : end + 1);
      take(line, in_code());
      text.remove_prefix(line.size());
      continue;
    }
    const char c = text.front();
    if (c == '\n') {
      end_line(take);
    } else {
      held_ += c;
      if (!may_be_fence()) {
        decide(take);
        continue;
      }
    }
    text.remove_prefix(1);
  }
}

void CodeFences::finish(const Take& take) {
  if (!held_.empty()) take(held_, in_code());
  *this = {};
}

}  // namespace skald
