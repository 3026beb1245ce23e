// Sentence-transformers' changes to a text before a model reads it, by the files of a folder.
#pragma once

#include "base/meta.h"
#include "convert/hf_directory.h"

namespace skald {

/// Sets sentence_transformers.do_lower_case, .max_seq_length and .prompt (the text before each text) from
/// sentence_bert_config.json and config_sentence_transformers.json; nothing where the folder has no modules.json. Throws
/// kBadFile naming the file and the key.
void describe_sentence_inputs(const HfDirectory& dir, Meta& meta);

}  // namespace skald
