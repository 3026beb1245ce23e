// OpenAI's text completions.
#pragma once

#include <vector>

#include "serve/writers/openai_writer.h"

namespace skald::serve {

class CompletionWriter : public OpenAiWriter {
 public:
  CompletionWriter() : OpenAiWriter("cmpl-", "text_completion", "text_completion") {}

  std::string begin(const Answer& answer) override;
  std::string reading(const Answer& answer, const PromptProgress& progress) override;
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  std::string echo(const Answer& answer, int choice);
  Json log_probs(const Answer& answer, int choice, const AnswerDelta& spoken);

  std::vector<int64_t> characters_;  // of each choice's tokens so far
  std::vector<bool> echoed_;         // its prompt
};

}  // namespace skald::serve
