// OpenAI's chat completions.
#pragma once

#include "serve/writers/openai_writer.h"

namespace skald::serve {

class ChatWriter : public OpenAiWriter {
 public:
  ChatWriter() : OpenAiWriter("chatcmpl-", "chat.completion", "chat.completion.chunk") {}

  std::string begin(const Answer& answer) override;
  std::string reading(const Answer& answer, const PromptProgress& progress) override;
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  std::string delta(const Answer& answer, int choice, Json delta, Json log_probs) const;
};

}  // namespace skald::serve
