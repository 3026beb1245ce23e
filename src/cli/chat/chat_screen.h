// ChatScreen: the output of a chat: answers as they come, reasoning apart from them, and notes about both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/code_fences.h"
#include "cli/terminal/markdown.h"
#include "cli/terminal/word_wrap.h"
#include "tools/chat/chat_session.h"

namespace skald {

struct ScreenOptions {
  bool terminal = false;  // stdout is one: control characters are shown rather than sent, and lines break between words
  bool colors = false;
  bool render = false;    // Markdown of answers, at a terminal
  bool fold = false;      // of reasoning only how long it is
  bool reasoning = true;  // show it at all
};

/// Answers go to stdout, notes to stderr.
class ChatScreen {
 public:
  explicit ChatScreen(ScreenOptions options);

  ScreenOptions& options() { return o_; }
  /// Returns the prompt at which the user types.
  std::string prompt(bool goes_on) const;

  void begin_answer();
  void show(const ReplyDelta& delta);
  void end_answer();
  /// "tokens per second, context used", and why the answer ended early.
  void statistics(const ChatAnswer& answer, int64_t n_ctx);
  /// Shows a note, at a terminal in lines that fit. `hang`: blanks in front of those that a break begins.
  void note(std::string_view text, int hang = 0) const;
  const std::string& last_reasoning() const { return reasoning_; }

 private:
  enum class Part : uint8_t { kNone, kReasoning, kContent };
  void begin(Part part);
  void write(std::string_view text, std::string_view color = {});
  void flush();
  void put(std::string_view shown);
  void put_piece(std::string_view piece, bool code, std::string_view color);
  void put_wrapped(std::string_view shown);
  std::string painted(std::string_view text, std::string_view color) const;

  ScreenOptions o_;
  CodeFences fences_;
  Markdown markdown_;
  WordWrap wrap_;
  Part part_ = Part::kNone;
  std::string reasoning_;
  bool at_line_start_ = true, blank_ = true;  // blank: the answer has no text yet
};

}  // namespace skald
