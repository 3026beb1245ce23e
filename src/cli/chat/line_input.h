// LineInput: lines that a person types at a terminal, with editing and history (libedit).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/chat/completion.h"

namespace skald {

struct InputLine {
  enum class Kind : uint8_t {
    kText,
    kInterrupted,  // Ctrl-C: the typed text is dropped
    kEnd,          // Ctrl-D, or the terminal is gone
  };
  Kind kind = Kind::kText;
  std::string text = {};  // without the line feed at its end; a paste may have others
};

class LineInput {
 public:
  /// Completes a line that ends at the cursor.
  using Completer = std::function<Completion(std::string_view line)>;

  /// Reads and writes the history in `history_file`, which only the user may read; empty: none is kept beyond the program.
  /// At the tab key `complete` tells how a line that begins with a slash may go on.
  LineInput(const std::string& history_file, Completer complete);
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  /// One line. `prefill` stands there to be edited. Pasted text is one line, line feeds included, where the terminal marks
  /// it (bracketed paste).
  InputLine read(const std::string& prompt, const std::string& prefill = {});
  void remember(const std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// $XDG_STATE_HOME/skald/history, or below ~/.local/state; empty where there is no home.
std::string default_history_file();

}  // namespace skald
