// The kinds of tokenizer.json as parts of a GGUF file's tokenizer. All throw kBadFile for files that are inconsistent and
// kUnsupported for steps that no GGUF tokenizer has; both name the file and the key.
#pragma once

#include "convert/tokenizers/pre_tokenizer_name.h"
#include "convert/tokenizers/tokenizer_json.h"
#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// BPE over bytes (GPT-2, Llama 3, Qwen2, ...): "gpt2".
TokenizerParts byte_level_bpe(const TokenizerJson& json, PieceTable pieces, const PreTokenizerChoice& pre);

/// BPE over characters as SentencePiece has it (Llama 2, Mistral, Gemma): "llama". Scores stand in for the order of merges.
TokenizerParts sentencepiece_bpe(const TokenizerJson& json, PieceTable pieces);

/// The same with merges as the file lists them: "gemma4".
TokenizerParts listed_bpe(const TokenizerJson& json, PieceTable pieces);

/// Unigram (T5): "t5".
TokenizerParts unigram(const TokenizerJson& json, PieceTable pieces);

/// WordPiece (BERT): "bert".
TokenizerParts word_piece(const TokenizerJson& json, PieceTable pieces);

/// Any of them.
TokenizerParts read_tokenizer_json(const TokenizerJson& json, PieceTable pieces, const PreTokenizerChoice& pre);

/// Returns whether the file's tokenizer spells bytes as characters, so that no SentencePiece file can mean the same.
bool is_byte_level(const TokenizerJson& json);

}  // namespace skald
