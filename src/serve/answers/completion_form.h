// OpenAI's text completions.
#pragma once

#include "serve/answer.h"

namespace skald::serve {

class CompletionForm : public AnswerForm {
 public:
  std::string begin(const Answer& answer) override;
  std::string said(const Answer& answer, const Spoken& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  std::string end(const Answer& answer) override;
  Json whole(const Answer& answer) override;

 private:
  Json chunk(const Answer& answer, Json choices) const;
  Json log_probs(const Answer& answer, int choice, const Spoken& spoken);

  std::vector<int64_t> characters_;  // of each choice's tokens so far
};

}  // namespace skald::serve
