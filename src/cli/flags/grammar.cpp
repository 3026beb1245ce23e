#include "cli/flags/grammar.h"

#include <fmt/format.h>

#include <array>

#include "cli/flags/common.h"

namespace skald {

namespace {

using Kind = GrammarParams::Kind;

struct GrammarFlag {
  const char* flag;
  Kind kind;
  bool file;
  const std::string GrammarFlags::*value;
};

constexpr std::array kSources = {GrammarFlag{"--grammar", Kind::kGbnf, false, &GrammarFlags::grammar},
                                 GrammarFlag{"--grammar-file", Kind::kGbnf, true, &GrammarFlags::grammar_file},
                                 GrammarFlag{"--json-schema", Kind::kJsonSchema, false, &GrammarFlags::schema},
                                 GrammarFlag{"--json-schema-file", Kind::kJsonSchema, true, &GrammarFlags::schema_file},
                                 GrammarFlag{"--regex", Kind::kRegex, false, &GrammarFlags::regex},
                                 GrammarFlag{"--regex-file", Kind::kRegex, true, &GrammarFlags::regex_file}};

}  // namespace

void GrammarFlags::declare(Flags& flags, std::string_view default_whitespace) {
  whitespace = default_whitespace;
  flags.group("Grammar");
  flags.add("--grammar", grammar, "a grammar in GBNF; its rule \"root\" is the whole text", "GBNF");
  flags.add("--grammar-file", grammar_file, "file with a grammar in GBNF", "FILE");
  flags.add("-j,--json-schema", schema, "a JSON schema (draft 2020-12) of the text; {} is any JSON", "JSON");
  flags.add("-jf,--json-schema-file", schema_file, "file with a JSON schema", "FILE");
  flags.add("--regex", regex, "a regular expression that matches the whole text", "REGEX");
  flags.add("--regex-file", regex_file, "file with a regular expression; a last line feed does not count", "FILE");
  flags.add(
      "--json-whitespace", whitespace,
      "where JSON of a schema may have white space: flexible: also lines and indentation; single: a space after : and ,",
      "flexible|single|none");
  declared_.emplace(flags);
}

GrammarParams GrammarFlags::read(std::string_view command) const {
  GrammarParams out;
  if (whitespace == "flexible")
    out.whitespace = JsonWhitespace::kFlexible;
  else if (whitespace == "none")
    out.whitespace = JsonWhitespace::kNone;
  const char* before = nullptr;
  for (const GrammarFlag& source : kSources) {
    if (!declared_->given(source.flag)) continue;
    if (before) throw UsageError(fmt::format("{}: want one of {} and {}", command, before, source.flag));
    before = source.flag;
    out.kind = source.kind;
    out.text = source.file ? read_text(this->*source.value) : this->*source.value;
    if (source.kind == Kind::kRegex && source.file && out.text.ends_with('\n')) out.text.pop_back();
  }
  return out;
}

}  // namespace skald
