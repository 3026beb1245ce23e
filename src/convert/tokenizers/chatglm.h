// The steps of ChatGLM's tokenizers in Python, beside SentencePiece.
#pragma once

#include "convert/tokenizers/tokenizer_files.h"
#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// Adds the tokens that ChatGLM2 and 3 put after the pieces of tokenizer.model; those of roles where a template or a list of
/// added tokens knows of them.
void add_chatglm_specials(const TokenizerFiles& files, TokenizerParts& parts);

/// Spells ChatGLM-6B's pieces for breaks, tabs and runs of spaces as these: <n>, <|tab|>, <|blank_2|>. Throws kUnsupported
/// for a folder whose first ids are of pictures.
void spell_chatglm1_spaces(const TokenizerFiles& files, TokenizerParts& parts);

}  // namespace skald
