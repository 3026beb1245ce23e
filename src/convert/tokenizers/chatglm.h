// What ChatGLM's tokenizers do in Python beside SentencePiece.
#pragma once

#include "convert/tokenizers/tokenizer_files.h"
#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// The tokens that ChatGLM2 and 3 put behind the pieces of tokenizer.model; those of roles where a template or a list of
/// added tokens knows of them.
void add_chatglm_specials(const TokenizerFiles& files, TokenizerParts& parts);

/// ChatGLM-6B's pieces for breaks, tabs and runs of spaces as what they stand for: <n>, <|tab|>, <|blank_2|>. Throws
/// kUnsupported for a folder whose first ids are of pictures.
void spell_chatglm1_spaces(const TokenizerFiles& files, TokenizerParts& parts);

}  // namespace skald
