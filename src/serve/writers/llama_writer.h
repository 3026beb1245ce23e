// llama-server's completions.
#pragma once

#include "serve/run/answer.h"

namespace skald::serve {

class LlamaWriter : public ResponseWriter {
 public:
  struct Wants {
    bool timings_per_token = false;
    bool truncated = false;  // of the prompt, a part was left out
  };
  explicit LlamaWriter(Wants wants) : wants_(wants) {}

  std::string reading(const Answer& answer, const PromptProgress& progress) override;
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  Json last(const Answer& answer, int choice, bool with_text) const;

  Wants wants_;
};

/// How tokens are chosen, as /completion and /props show it.
Json settings_json(const SamplingParams& sampling, const Request& request);

}  // namespace skald::serve
