// OpenAI's chat completions.
#pragma once

#include "serve/answer.h"

namespace skald::serve {

class ChatForm : public AnswerForm {
 public:
  std::string begin(const Answer& answer) override;
  std::string said(const Answer& answer, const Spoken& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  std::string end(const Answer& answer) override;
  Json whole(const Answer& answer) override;

 private:
  static Json chunk(const Answer& answer, Json choices);
  static std::string delta(const Answer& answer, int choice, Json delta, Json log_probs);
};

}  // namespace skald::serve
