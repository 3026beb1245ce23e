// ChatLoop: a user's chat with a model, command by command and message by message.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/chat/chat_screen.h"
#include "cli/chat/completion.h"
#include "cli/chat/line_input.h"
#include "skald/model.h"
#include "tools/chat/chat_session.h"

namespace skald {

/// The notes shown beside a chat.
struct ChatNotes {
  bool statistics = true;  // after each answer
  bool prompts = false;    // before each answer: the tokens of its prompt
};

class ChatLoop {
 public:
  ChatLoop(const Model& model, ChatSession& session, ChatScreen& screen, ChatNotes notes)
      : model_(model), session_(session), screen_(screen), notes_(notes) {}

  /// Says `text` and shows the answer. False where the message was refused, and is taken back.
  bool say(const std::string& text);
  /// Goes on with the messages of a file, and with their keys where its keys file has them. Throws Error of the file.
  void load(const std::string& path);
  /// Until the person ends it.
  void talk(LineInput& input);

  struct Command {
    std::string_view name, argument, help;
    void (ChatLoop::*run)(const std::string& argument);
  };
  static std::span<const Command> commands();
  /// Completes commands, and the names of files after those that take one.
  static Completion complete(std::string_view line);

 private:
  bool answer();
  void take(const std::string& message);
  void run_command(const std::string& line);

  void help(const std::string&);
  void set_system(const std::string& text);
  void clear(const std::string&);
  void save(const std::string& path);
  void save_over(const std::string& path);
  void save_to(const std::string& path, bool over);
  void read(const std::string& path);
  void regenerate(const std::string&);
  void edit(const std::string& text);
  void result(const std::string& text);
  void params(const std::string& text);
  void tokens(const std::string&);
  void fold(const std::string&);
  void thoughts(const std::string&);
  void quit(const std::string&) { over_ = true; }

  const Model& model_;
  ChatSession& session_;
  ChatScreen& screen_;
  std::string prefill_;   // of the next message
  std::string attached_;  // files in front of it
  ChatNotes notes_;
  bool over_ = false;
};

}  // namespace skald
