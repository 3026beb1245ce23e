// The chat templates of a Hugging Face folder.
#pragma once

#include "base/meta.h"
#include "convert/tokenizers/tokenizer_files.h"

namespace skald {

/// Writes tokenizer.chat_template, and tokenizer.chat_template.<name> for others with tokenizer.chat_templates, the list of
/// their names. Files of their own (chat_template.jinja, chat_template.json) come before tokenizer_config.json. Throws
/// kBadFile naming the file.
void set_chat_templates(const TokenizerFiles& files, Meta& meta);

}  // namespace skald
