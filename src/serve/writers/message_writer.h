// Anthropic's messages.
#pragma once

#include <optional>

#include "serve/run/answer.h"

namespace skald::serve {

class MessageWriter : public ResponseWriter {
 public:
  std::string_view call_prefix() const override { return "toolu_"; }
  std::string ping() const override;
  std::string begin(const Answer& answer) override;
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  enum class Block : uint8_t { kText, kThinking, kToolUse };
  std::string open(Block block, const Json& content);
  std::string close();
  std::string text(Block block, const std::string& text);
  std::string call(const ReplyCall& call);

  std::optional<Block> block_;  // that is open
  int index_ = -1;              // of it
};

}  // namespace skald::serve
