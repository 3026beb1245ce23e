#include "convert/tokenizers/tokenizer_json.h"

#include <functional>

#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/base64.h"
#include "convert/tokenizers/regex_form.h"
#include "io/printable.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

// The steps of the package as expressions. Its punctuation is ASCII's and Unicode's category P.
constexpr std::string_view kGpt2Words = R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re";
constexpr std::string_view kPunctuation = R"re([\p{P}\$\+<=>\^~\|`])re";
constexpr std::string_view kDigit = R"re(\p{N})re";

// Calls f for a step, or for each of the steps that a Sequence lists under `key`. parse_json limits how deep they lie.
void for_each_step(const JsonNode& step, std::string_view key, const std::function<void(const JsonNode&)>& f) {
  if (step.text("type", "") != "Sequence") return f(step);
  const JsonNode list = step.at(key);
  for (size_t i = 0; i < list.size(); ++i) for_each_step(list.at(i), key, f);
}

// A pattern is {"Regex": ".."} or {"String": ".."}.
std::string pattern_of(const JsonNode& step) {
  const JsonNode pattern = step.at("pattern");
  if (const auto regex = pattern.find("Regex")) return regex_form(regex->text());
  return regex_form_of_text(pattern.at("String").text());
}

void read_replace(const JsonNode& step, JsonNormalizer& out) {
  const std::string pattern = pattern_of(step), content = step.at("content").text();
  if (pattern == " " && content == kPieceSpace) {
    out.spaces_spelled = true;
  } else if (pattern == " {2,}" && (content == " " || content == kPieceSpace)) {
    out.spaces_merged = true;
  } else {
    out.others.emplace_back("Replace");
  }
}

void read_normalizer_step(const JsonNode& step, JsonNormalizer& out) {
  const std::string type = step.at("type").text();
  if (type == "NFC") {
    out.nfc = true;
  } else if (type == "Replace") {
    read_replace(step, out);
  } else if (type == "Prepend") {
    out.space_first = step.at("prepend").text() == kPieceSpace;
    if (!out.space_first) out.others.push_back(type);
  } else if (type == "Strip") {
    out.spaces_merged = true;
  } else if (type == "Precompiled") {
    const auto bytes = base64_bytes(step.at("precompiled_charsmap").text());
    if (!bytes) step.at("precompiled_charsmap").want("base64");
    out.charsmap = *bytes;
  } else if (type == "BertNormalizer") {
    out.bert = true;
    out.lowercase = step.flag("lowercase", true);
    if (const auto strip = step.find("strip_accents")) out.strip_accents = strip->flag();
    if (!step.flag("clean_text", true) || !step.flag("handle_chinese_chars", true)) out.others.push_back(type);
  } else {
    out.others.push_back(type);
  }
}

void read_split(const JsonNode& step, JsonPreTokenizer& out) {
  const std::string behavior = step.text("behavior", "Isolated");
  const bool invert = step.flag("invert", false);
  const std::string pattern = pattern_of(step);
  // "Keep the matches, drop the rest" is used with patterns that leave no rest.
  if ((behavior == "Isolated" && !invert) || (behavior == "Removed" && invert)) {
    out.patterns.push_back(pattern);
  } else if (pattern == " " && behavior == "MergedWithPrevious") {
    // Gemma's, after a normalizer that leaves no space.
  } else {
    out.others.push_back("Split " + behavior);
  }
}

// Files of before 2023 have a flag only.
bool metaspace_prepends(const JsonNode& step) {
  if (const auto scheme = step.find("prepend_scheme")) {
    if (scheme->text() == "first")
      log(LogLevel::kWarn,
          "tokenizer.json: prepend_scheme first is not followed: a space also begins texts after special tokens");
    return scheme->text() != "never";
  }
  return step.flag("add_prefix_space", true);
}

void read_pre_tokenizer_step(const JsonNode& step, JsonPreTokenizer& out) {
  const std::string type = step.at("type").text();
  if (type == "Split") {
    read_split(step, out);
  } else if (type == "Digits") {
    const bool alone = step.flag("individual_digits", false);
    out.patterns.push_back(regex_form(std::string(kDigit) + (alone ? "" : "+")));
  } else if (type == "Punctuation") {
    const bool runs = step.text("behavior", "Isolated") == "Contiguous";
    out.patterns.push_back(regex_form(std::string(kPunctuation) + (runs ? "+" : "")));
  } else if (type == "ByteLevel") {
    if (step.flag("use_regex", true)) out.patterns.push_back(regex_form(kGpt2Words));
    out.byte_level = true;
    out.space_first = out.space_first || step.flag("add_prefix_space", true);
  } else if (type == "Metaspace") {
    out.metaspace = true;
    out.space_first = metaspace_prepends(step);
    if (step.text("replacement", kPieceSpace) != kPieceSpace) out.others.push_back(type);
  } else if (type == "WhitespaceSplit") {
    out.spaces_merged = true;
  } else if (type == "BertPreTokenizer") {
    out.bert = true;
  } else {
    out.others.push_back(type);
  }
}

std::vector<std::string> special_names(const JsonNode& pieces) {
  std::vector<std::string> out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto special = pieces.at(i).find("SpecialToken");
    out.push_back(special ? special->at("id").text() : "");
  }
  return out;
}

// A template's list of special tokens and texts, texts as "", cut at the texts.
std::vector<std::vector<std::string>> around_texts(const JsonNode& pieces) {
  std::vector<std::vector<std::string>> out(1);
  for (std::string& name : special_names(pieces)) {
    if (name.empty()) {
      out.emplace_back();
    } else {
      out.back().push_back(std::move(name));
    }
  }
  return out;
}

void read_template(const JsonNode& step, JsonPostProcessor& out) {
  out.is_template = true;
  const auto single = around_texts(step.at("single"));
  out.before = single.front();
  if (single.size() > 1) out.after = single.back();
  const auto pair = step.find("pair");
  if (!pair) return;
  const auto parts = around_texts(*pair);
  if (parts.size() == 3) out.between = parts[1];
}

// ["</s>", 2]: a name and its id.
std::string name_of_pair(const JsonNode& pair) {
  if (pair.size() != 2) pair.want("a name and an id");
  return pair.at(size_t{0}).text();
}

void read_post_processor_step(const JsonNode& step, JsonPostProcessor& out) {
  const std::string type = step.at("type").text();
  if (type == "TemplateProcessing") return read_template(step, out);
  if (type != "RobertaProcessing" && type != "BertProcessing") return;  // ByteLevel moves offsets
  const std::string cls = name_of_pair(step.at("cls")), sep = name_of_pair(step.at("sep"));
  out.is_template = true;
  out.before = {cls};
  out.after = {sep};
  out.between = type == "RobertaProcessing" ? std::vector{sep, sep} : std::vector{sep};
}

std::vector<AddedToken> read_added(const JsonNode& root) {
  std::vector<AddedToken> out;
  const auto list = root.find("added_tokens");
  for (size_t i = 0; list && i < list->size(); ++i) {
    const JsonNode token = list->at(i);
    out.push_back(
        {token.at("id").integer(), token.at("content").text(), token.flag("special", false), token_rules_of(token)});
  }
  return out;
}

// Files of before 2021 do not say.
std::string type_of(const JsonNode& model) {
  if (const auto type = model.find("type")) return type->text();
  return model.find("merges") ? "BPE" : model.find("unk_id") ? "Unigram" : "WordPiece";
}

}  // namespace

TokenRules token_rules_of(const JsonNode& token) {
  TokenRules out{.normalized = !token.flag("special", false)};
  for (const TokenRuleKey& rule : kTokenRuleKeys) out.*rule.rule = token.flag(rule.name, out.*rule.rule);
  return out;
}

TokenizerJson TokenizerJson::parse(const JsonNode& root) {
  TokenizerJson out{.model = root.at("model"), .type = type_of(root.at("model")), .added = read_added(root)};
  if (const auto node = root.find("normalizer"))
    for_each_step(*node, "normalizers", [&](const JsonNode& s) { read_normalizer_step(s, out.normalizer); });
  if (const auto node = root.find("pre_tokenizer"))
    for_each_step(*node, "pretokenizers", [&](const JsonNode& s) { read_pre_tokenizer_step(s, out.pre_tokenizer); });
  if (const auto node = root.find("post_processor"))
    for_each_step(*node, "processors", [&](const JsonNode& s) { read_post_processor_step(s, out.post_processor); });
  return out;
}

}  // namespace skald
