// WordWrap: breaks the lines of a text between words at a terminal's width, as the text comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

/// Takes UTF-8 without control characters but line feeds, tabs and the attributes of ANSI ("\x1b[2m"), which take no cells.
/// A word that is longer than a line begins on a line of its own and goes on without line feeds. Scripts without blanks
/// break between their characters. Needs use_utf8().
class WordWrap {
 public:
  /// `hang`: blanks in front of the lines that a break begins, where they leave a third of the width.
  explicit WordWrap(int hang = 0) : hang_(hang) {}

  /// Returns the text that can be shown: all but the last word, which may go on. `columns`: of a line, now.
  std::string push(std::string_view text, int columns);
  /// Returns the last word and `lines`, whole lines that stay as they are.
  std::string pass(std::string_view lines);
  /// Returns the last word: the text has ended.
  std::string finish();

 private:
  void take(uint32_t code_point, std::string_view bytes);
  void end_word();
  void place_word();
  void end_line();
  bool breaks_before(uint32_t code_point) const;
  int gap_cells() const;

  int hang_, columns_ = 1;
  std::string out_;     // to be shown
  std::string gap_;     // blanks in front of the word
  std::string word_;    // not shown yet
  int word_cells_ = 0;  // of the whole word
  uint32_t last_ = 0;   // code point of the word
  bool in_attribute_ = false;
  bool spills_ = false;     // the word is longer than a line: its beginning is shown
  int column_ = 0;          // the cells of the line that are taken
  bool has_words_ = false;  // the line
};

/// Returns the whole text in lines of at most `columns` cells; code blocks stay as they are.
std::string wrapped(std::string_view text, int columns, int hang = 0);

}  // namespace skald
