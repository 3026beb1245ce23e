// OpenAI's responses.
#pragma once

#include <optional>

#include "serve/run/answer.h"

namespace skald::serve {

class ResponsesWriter : public ResponseWriter {
 public:
  /// `echoed`: fields of the request that the response repeats.
  explicit ResponsesWriter(Json echoed) : echoed_(std::move(echoed)) {}

  std::string begin(const Answer& answer) override;
  std::string reading(const Answer& answer, const PromptProgress& progress) override;
  std::string said(const Answer& answer, const AnswerDelta& spoken) override;
  std::string finish(const Answer& answer, int choice) override;
  Json whole(const Answer& answer) override;

 private:
  enum class Item : uint8_t { kMessage, kReasoning };
  std::string event(std::string_view name, Json fields);
  std::string open(Item item);
  std::string close(std::string_view status = "completed");
  std::string text(Item item, const std::string& text);
  std::string call(const ReplyCall& call);
  Json take_untold();
  Json response(const Answer& answer, std::string_view status) const;

  Json echoed_, output_ = Json::array();
  std::optional<Item> item_;  // that is open
  std::string item_id_, item_text_;
  Json item_log_probs_ = Json::array(), untold_ = Json::array();  // of tokens whose text has come, or not yet
  int64_t sequence_ = 0;
};

}  // namespace skald::serve
