// Markdown: shows a Markdown text with the attributes of a terminal, as the text comes.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Renders the prose of a text line by line: headings, lists, bold, italics and code spans. All else stays as it is, marks
/// without a partner too. A mark waits for its partner, at most to the end of its line.
class Markdown {
 public:
  /// Returns the part of the text so far that can be shown.
  std::string push(std::string_view text);
  /// Returns the rest: the text has ended.
  std::string finish();

 private:
  void show(bool whole);

  std::string held_;         // of the line, not shown yet
  std::string style_;        // of the line
  bool line_begins_ = true;  // its first mark is not read yet
  std::string out_;
};

/// Returns code as it is shown: each line in the colour of code.
std::string rendered_code(std::string_view lines);

}  // namespace skald
