// -p and -f: a text, as people of llama.cpp give it, and what is said about its tokens.
#pragma once

#include <span>
#include <string>

#include "cli/flags/flags.h"
#include "skald/types.h"

namespace skald {

class Tokenizer;

struct PromptFlags {
  std::string prompt, file;
  bool escape = true;
  bool parse_special = true;  // names of special tokens in the text are these tokens

  /// -p, -f, --escape and, if `special`, --parse-special; the help of the first two.
  void declare(Flags& flags, const char* prompt_help, const char* file_help, bool special = true);
  /// Of -p, with its escapes replaced, or of the file. Throws Error naming the file.
  std::string text() const;
  /// The same without the newline at a file's end: editors put it there, and it is no part of what is said.
  std::string said() const;
};

/// Warns of a text that begins with BOS where the tokenizer adds one too: models seldom saw two.
void warn_of_two_bos(const Tokenizer& tokenizer, std::span<const TokenId> ids);

}  // namespace skald
