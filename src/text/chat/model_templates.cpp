#include "text/chat/model_templates.h"

#include <utility>

#include "text/chat/template_source.h"

namespace skald {
namespace {

std::optional<ChatTemplate> of_its_own(const Meta& meta, const SpecialTexts& special, const ChatTemplate& plain,
                                       std::string_view wanted) {
  if (!wanted.empty()) return {};
  std::string text = find_template(meta, /*with_tools=*/true).text;
  if (text == plain.source()) return {};
  return std::optional<ChatTemplate>(std::in_place, std::move(text), special);
}

}  // namespace

ModelTemplates::ModelTemplates(const Meta& meta, const Tokenizer& tokenizer, std::string_view wanted)
    : plain_(wanted.empty() ? model_template(meta) : named_template(wanted), special_texts(tokenizer)),
      with_tools_(of_its_own(meta, special_texts(tokenizer), plain_, wanted)),
      format_(detect_reply_format(of(/*tools=*/true).source())) {}

}  // namespace skald
