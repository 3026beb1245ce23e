#include "convert/tokenizers/pre_tokenizer_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/regex_form.h"
#include "io/printable.h"
#include "text/pre_tokenizer_table.h"

namespace skald {
namespace {

using Pattern = std::string_view;

// The table's expressions are those of the models' files but for these, which were rewritten there so that a search stays
// linear or PCRE2 understands them.
struct Rewritten {
  Pattern file, table;
};
constexpr std::array kRewritten = {
    Rewritten{R"re(\s+$)re", R"re((?<!\s)\s+$)re"},                                             // DeepSeek LLM
    Rewritten{R"re( ?[^(\s|[.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{964}\x{6d4}\x{60c}])]+)re",  // BLOOM
              R"re( ?[^(\s|.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{964}\x{6d4}\x{60c})]+)re"},
    Rewritten{R"re((?=(\d{3})+(?!\d)))re",  // SuperBPE
              R"re((?:\A(?:\d{1,2}(?=(?:\d{3})*(?!\d))|\D++(?:\d{1,2}(?=(?:\d{3})*(?!\d)))?)|\G\d{3}))re"
              R"re((?:\D++(?:\d{1,2}(?=(?:\d{3})*(?!\d)))?)*+)re"},
    Rewritten{R"re(\d{1,3}(?=(?:\d{3})*\b))re",  // Tiny Aya
              R"re((?<!\d)\d{1,3}(?=(?:\d{3})*(?![\p{L}\p{M}\p{N}\p{Pc}]))|\G(?<=\d)\d{3})re"},
    Rewritten{R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N})re"  // K-EXAONE
              R"re(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)re",
              R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*+(?: \p{L}\p{M}*+)*+)++|\p{N})re"
              R"re(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)re"},
};

// Falcon's file cuts runs of digits off their space, too; no merge of its vocabulary reaches over that.
constexpr Pattern kFalconFirst = R"re([\p{P}\$\+<=>\^~\|`]+)re";
constexpr Pattern kDigits = R"re(\p{N}+)re";
constexpr Pattern kThreeDigits = R"re([0-9][0-9][0-9])re";

// Models of which the type in config.json is not how pre-tokenizers are called.
struct Called {
  std::string_view model_type, name;
};
constexpr std::array kCalled = {Called{"phi", "phi-2"}, Called{"cohere", "command-r"}, Called{"cohere2", "command-r"},
                                Called{"chatglm", "chatglm-bpe"}, Called{"gpt_oss", "gpt-4o"}};

std::vector<std::string> table_forms(const PreTokenizerSpec& spec) {
  std::vector<std::string> out;
  for (Pattern pattern : spec.patterns) out.push_back(regex_form(pattern));
  return out;
}

// The forms of a file's expressions in the table.
std::vector<std::string> as_in_table(std::vector<std::string> patterns) {
  for (std::string& pattern : patterns) {
    for (const Rewritten& r : kRewritten) {
      if (pattern == regex_form(r.file)) pattern = regex_form(r.table);
    }
  }
  const bool falcon = patterns.size() == 4 && patterns[0] == regex_form(kFalconFirst) &&
                      patterns[2] == regex_form(kDigits) && patterns[3] == regex_form(kThreeDigits);
  if (falcon) patterns.erase(patterns.begin() + 2);
  return patterns;
}

// Letters and digits only: "gpt_neox" and "GPT-NeoX" are the same.
std::string plain(std::string_view name) {
  std::string out;
  for (unsigned char c : name) {
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

// Of equal names the model's own, or the first.
std::string choose(std::string_view names, const std::string& model_type) {
  const auto called = std::ranges::find(kCalled, model_type, &Called::model_type);
  const std::string want = plain(called == kCalled.end() ? model_type : called->name);
  std::istringstream list{std::string(names)};
  std::string first, name;
  while (list >> name) {
    if (plain(name) == want) return name;
    if (first.empty()) first = name;
  }
  return first;
}

// Merges matter to all texts, composed characters to few.
int misfit(const PreTokenizerSpec& spec, const PreTokenizerQuery& query) {
  return (spec.ignore_merges != query.ignore_merges ? 2 : 0) + (spec.nfc != query.nfc ? 1 : 0);
}

const PreTokenizerSpec* best_fit(const PreTokenizerQuery& query) {
  if (!query.other_steps.empty()) return nullptr;
  const std::vector<std::string> patterns = as_in_table(query.patterns);
  const PreTokenizerSpec* best = nullptr;
  for (const PreTokenizerSpec& spec : pre_tokenizers()) {
    if (table_forms(spec) == patterns && (!best || misfit(spec, query) < misfit(*best, query))) best = &spec;
  }
  return best;
}

// Forms are plain ASCII but for the escapes of hostile files.
std::string shown(const std::string& pattern) {
  constexpr size_t kLongest = 2000;
  const bool plain = std::ranges::all_of(pattern, [](char c) { return c >= ' ' && c <= '~'; });
  return plain ? pattern.substr(0, kLongest) : printable(pattern, kLongest);
}

std::string listed(const PreTokenizerQuery& query) {
  std::string out;
  for (const std::string& pattern : query.patterns) out += "\n  " + shown(pattern);
  for (const std::string& step : query.other_steps) out += "\n  " + printable(step);
  return out.empty() ? " (it does not cut texts)" : out;
}

std::string checked(const std::string& name) {
  if (find_pre_tokenizer(name)) return name;
  fail(Errc::kBadInput, "convert.pre_tokenizer: {}: no such pre-tokenizer; known are {}", name, pre_tokenizer_names());
}

}  // namespace

std::string pre_tokenizer_name(const PreTokenizerQuery& query, const PreTokenizerChoice& choice) {
  if (!choice.name.empty()) return checked(choice.name);
  const PreTokenizerSpec* spec = best_fit(query);
  if (!spec) {
    fail(Errc::kUnsupported,
         "pre_tokenizer: none of GGUF's cuts texts as this one; convert.pre_tokenizer chooses one of {}: {}",
         pre_tokenizer_names(), listed(query));
  }
  std::string name = choose(spec->names, choice.model_type);
  if (spec->ignore_merges != query.ignore_merges) {
    log(LogLevel::kWarn, "model.ignore_merges is {}, which no pre-tokenizer has that cuts texts like \"{}\"",
        query.ignore_merges, name);
  }
  if (query.nfc && !spec->nfc)
    log(LogLevel::kWarn, "normalizer: NFC, which no pre-tokenizer has that cuts texts like \"{}\"", name);
  return name;
}

std::string pre_tokenizer_name_like(std::string_view name, const PreTokenizerChoice& choice) {
  if (!choice.name.empty()) return checked(choice.name);
  const PreTokenizerSpec* spec = find_pre_tokenizer(name);
  SKALD_ASSERT(spec);
  return choose(spec->names, choice.model_type);
}

}  // namespace skald
