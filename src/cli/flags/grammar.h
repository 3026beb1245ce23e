// What a text must look like: --grammar, --json-schema, --regex and their files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/flags/flags.h"
#include "skald/grammar_params.h"

namespace skald {

struct GrammarFlags {
  std::string grammar, grammar_file, schema, schema_file, regex, regex_file;
  std::string whitespace = "single";

  /// `whitespace`: what --json-whitespace is by default; "single" where text is generated.
  void declare(Flags& flags, std::string_view whitespace = "single");
  /// With the text of the file that was named; of kind kNone where no flag was given. Throws UsageError, naming the command,
  /// for several of them and for a --json-whitespace that it does not know, and Error naming a file that it cannot read.
  GrammarParams read(std::string_view command) const;

 private:
  std::optional<Flags> declared_;
};

}  // namespace skald
