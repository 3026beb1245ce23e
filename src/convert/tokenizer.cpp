#include "convert/tokenizer.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/chat_templates.h"
#include "convert/tokenizers/chatglm.h"
#include "convert/tokenizers/json_kinds.h"
#include "convert/tokenizers/json_vocab.h"
#include "convert/tokenizers/sentencepiece_parts.h"
#include "convert/tokenizers/special_tokens.h"
#include "convert/tokenizers/tekken.h"
#include "convert/tokenizers/tiktoken.h"
#include "convert/tokenizers/tokenizer_files.h"

namespace skald {
namespace {

constexpr int64_t kMaxModelBytes = int64_t{1} << 26;  // ten times the largest
constexpr std::string_view kQwen = "qwen.tiktoken";
constexpr std::string_view kChatGlm1 = "ice_text.model";
constexpr std::string_view kTekken = "tekken.json";

// Files that hold a SentencePiece or tiktoken vocabulary, the preferred first.
constexpr std::array<std::string_view, 4> kModelFiles = {"tokenizer.model", "spiece.model", kChatGlm1, kQwen};

// Only tokenizer.json has expressions; elsewhere the tokenizer's class or the model stands for them.
std::string known_pre_tokenizer(const TokenizerFiles& files, const PreTokenizerChoice& choice) {
  struct Known {
    std::string_view name, pre;
  };
  constexpr std::array kClasses = {Known{"GPT2Tokenizer", "gpt-2"},          Known{"CodeGenTokenizer", "gpt-2"},
                                   Known{"Qwen2Tokenizer", "qwen2"},         Known{"QWenTokenizer", "qwen2"},
                                   Known{"RobertaTokenizer", "gpt-2"},       Known{"ChatGLM4Tokenizer", "chatglm-bpe"},
                                   Known{"Arcade100kTokenizer", "stablelm2"}};
  constexpr std::array kModels = {Known{"gpt2", "gpt-2"}, Known{"opt", "gpt-2"}, Known{"qwen", "qwen2"}};
  for (const Known& known : kClasses) {
    if (files.tokenizer_class() == known.name) return pre_tokenizer_name_like(known.pre, choice);
  }
  for (const Known& known : kModels) {
    if (choice.model_type == known.name) return pre_tokenizer_name_like(known.pre, choice);
  }
  return pre_tokenizer_name({.other_steps = {"no tokenizer.json says how texts are cut"}}, choice);
}

TokenizerParts read_sentencepiece(const TokenizerFiles& files, std::string_view file, std::string_view bytes,
                                  PieceTable pieces) {
  TokenizerParts parts = sentencepiece_parts(bytes, std::move(pieces));
  if (file == kChatGlm1)
    spell_chatglm1_spaces(files, parts);
  else if (files.tokenizer_class() == "ChatGLMTokenizer")
    add_chatglm_specials(files, parts);
  return parts;
}

TokenizerParts read_model_file(const TokenizerFiles& files, std::string_view file, PieceTable pieces,
                               const PreTokenizerChoice& choice) {
  const std::string bytes = files.dir().read(file, kMaxModelBytes);
  return in_file(files.dir().file_path(file), [&] {
    if (!is_tiktoken(bytes)) return read_sentencepiece(files, file, bytes, std::move(pieces));
    TokenizerParts parts = tiktoken_parts(bytes, std::move(pieces));
    parts.pre = known_pre_tokenizer(files, choice);
    if (file == kQwen) add_qwen_specials(parts);
    return parts;
  });
}

TokenizerParts read_vocab_and_merges(const TokenizerFiles& files, PieceTable pieces, const PreTokenizerChoice& choice) {
  const HfDirectory& dir = files.dir();
  const nlohmann::json json = dir.read_json("vocab.json");
  const JsonNode vocab(json, dir.file_path("vocab.json"));
  add_pieces(vocab, pieces);
  const std::vector<Merge> merges = parse_merges(dir.read("merges.txt"), dir.file_path("merges.txt"));
  in_file(dir.file_path("merges.txt"), [&] { check_merges(merges, vocab); });
  TokenizerParts out{.model = "gpt2", .pieces = std::move(pieces), .merges = merge_lines(merges)};
  out.pre = known_pre_tokenizer(files, choice);
  return out;
}

TokenizerParts read_vocabulary(const TokenizerFiles& files, PieceTable pieces, const PreTokenizerChoice& choice) {
  const HfDirectory& dir = files.dir();
  const bool byte_level = files.tokenizer() && is_byte_level(*files.tokenizer());
  for (std::string_view file : kModelFiles) {
    if (!byte_level && dir.has(file)) return read_model_file(files, file, std::move(pieces), choice);
  }
  if (files.tokenizer()) {
    return in_file(dir.file_path("tokenizer.json"),
                   [&] { return read_tokenizer_json(*files.tokenizer(), std::move(pieces), choice); });
  }
  if (dir.has("vocab.json") && dir.has("merges.txt")) return read_vocab_and_merges(files, std::move(pieces), choice);
  if (dir.has(kTekken)) {
    const nlohmann::json json = dir.read_json(kTekken);
    const std::string path = dir.file_path(kTekken);
    return in_file(path, [&] { return tekken_parts(JsonNode(json, path), std::move(pieces), choice); });
  }
  fail(Errc::kNotFound,
       "{}: no vocabulary; looked for tokenizer.model, spiece.model, tokenizer.json, vocab.json with merges.txt, {}, {}",
       dir.path(), kQwen, kTekken);
}

}  // namespace

void convert_tokenizer(const HfDirectory& dir, int64_t n_vocab, Meta& meta, const TokenizerOptions& options) {
  const TokenizerFiles files(dir);
  const PreTokenizerChoice choice{.name = options.pre_tokenizer, .model_type = files.model_type()};
  TokenizerParts parts = read_vocabulary(files, PieceTable(n_vocab), choice);
  in_file(dir.path(), [&] { add_tokens(files, parts); });
  const auto prefix = files.config() ? files.config()->find("add_prefix_space") : std::nullopt;
  if (prefix && parts.model == "llama") parts.add_space_prefix = prefix->flag();
  if (parts.pieces.left_out() > 0) {
    log(LogLevel::kWarn, "{}: {} tokens have ids of {} and above, which the model's embedding has no rows for", dir.path(),
        parts.pieces.left_out(), n_vocab);
  }
  set_vocabulary(parts, meta);
  set_special_tokens(files, parts, meta);
  set_chat_templates(files, meta);
}

}  // namespace skald
