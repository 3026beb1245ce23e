// ollama's answers: a JSON object a line.
#pragma once

#include <functional>
#include <string>

#include "serve/run/answer.h"

namespace skald::serve {

class OllamaWriter : public ResponseWriter {
 public:
  /// `chat`: of /api/chat, else of /api/generate. `seconds`: since the request came.
  OllamaWriter(bool chat, std::function<double()> seconds) : chat_(chat), seconds_(std::move(seconds)) {}

  std::string_view content_type() const override { return "application/x-ndjson"; }
  std::string ping() const override { return {}; }
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  Json line(const Answer& answer, const Reply& said) const;
  Json last(const Answer& answer, const Reply& said) const;

  bool chat_;
  std::function<double()> seconds_;
};

/// What ollama says of an empty prompt: the model is loaded, or it was unloaded.
Json loaded_line(const std::string& model, bool chat, bool unloaded = false);

}  // namespace skald::serve
