#include "serve/fields/prediction.h"

#include <string>

#include "serve/api_error.h"
#include "serve/chat/chat.h"
#include "serve/fields/prompt.h"

namespace skald::serve {

std::vector<TokenId> read_prediction(const Fields& fields, ServedModel& model) {
  const std::optional<Fields> prediction = fields.object("prediction");
  if (!prediction) return {};
  if (prediction->word("type", {"content"}).value_or("").empty()) refuse_field(prediction->path("type"), "content");
  const std::string path = prediction->path("content");
  const Json* const content = prediction->find("content");
  const Json checked = checked_content(content ? *content : Json(), path);
  std::string text;
  for (const Json& part : checked.is_string() ? Json::array({{{"text", checked}}}) : checked)
    text += part["text"].get<std::string>();
  if (const std::string_view kind = model.options().engine.draft.name(); kind != "ngram" && kind != "auto")
    fields.not_followed("prediction");
  return read_part(text, path, model);
}

}  // namespace skald::serve
