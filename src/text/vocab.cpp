#include "text/vocab.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "base/lowercase.h"
#include "text/byte_piece.h"
#include "text/pre_tokenizer_table.h"

namespace skald {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";

// Files do not list all the tokens that end a turn, so engines know them by their text. The names are llama.cpp's.
constexpr std::array<std::string_view, 12> kTurnEnds = {
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>",         "<|endoftext|>",      "<|end_of_text|>",
    "<EOT>",      "_<EOT>",     "[EOT]",   "<｜end▁of▁sentence｜>", "<end_of_utterance>", "<turn|>"};
constexpr std::array<std::string_view, 10> kOtherEnds = {
    "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "</s>", "<|eom_id|>", "[EOS]", "<eos>", "[e~[", "<|tool_response>"};

// Names that ordinary text has too: HTML, and the marks of other models. Qwen2.5 has "</s>" as text, Gemma as a user's
// piece.
constexpr std::array<std::string_view, 11> kPlainNames = {"</s>",  "<eos>", "[EOS]", "[e~[",   "<EOT>",     "_<EOT>",
                                                          "[EOT]", "<PAD>", "[PAD]", "<REPO>", "<reponame>"};

void read_pieces(const Meta& meta, Vocab& v) {
  v.pieces = meta.strings(kTokens);
  if (v.pieces.empty()) fail(Errc::kBadFile, "key {}: empty", kTokens);
  if (v.pieces.size() > static_cast<size_t>(std::numeric_limits<TokenId>::max()))
    fail(Errc::kBadFile, "key {}: {} pieces are too many", kTokens, v.pieces.size());
  v.ids.reserve(v.pieces.size());
  for (size_t i = 0; i < v.pieces.size(); ++i) {
    if (!v.pieces[i].empty()) v.ids[v.pieces[i]] = static_cast<TokenId>(i);
  }
}

void read_scores(const Meta& meta, Vocab& v) {
  v.scores = meta.floats(kScores);
  if (v.scores.empty()) return;
  if (v.scores.size() < v.pieces.size())
    fail(Errc::kBadFile, "key {}: {} scores for {} pieces", kScores, v.scores.size(), v.pieces.size());
  v.scores.resize(v.pieces.size());
  if (std::ranges::any_of(v.scores, [](float s) { return std::isnan(s); }))
    fail(Errc::kBadFile, "key {}: not a number", kScores);
}

void read_kinds(const Meta& meta, Vocab& v) {
  v.kinds.assign(v.pieces.size(), PieceKind::kNormal);
  if (!meta.has(kTypes)) {  // the little that such models always have
    const bool spells_bytes = v.model == "llama" || v.model == "gemma4" || v.model == "t5";
    for (size_t i = 0; spells_bytes && i < v.pieces.size(); ++i) {
      if (byte_of_piece(v.pieces[i])) v.kinds[i] = PieceKind::kByte;
    }
    if (v.unk) v.kinds[static_cast<size_t>(*v.unk)] = PieceKind::kUnknown;
    if (v.bos) v.kinds[static_cast<size_t>(*v.bos)] = PieceKind::kControl;
    if (v.eos) v.kinds[static_cast<size_t>(*v.eos)] = PieceKind::kControl;
    if (v.sep) v.kinds[static_cast<size_t>(*v.sep)] = PieceKind::kControl;
    return;
  }
  const std::vector<int64_t> types = meta.ints(kTypes);
  if (types.size() < v.pieces.size())
    fail(Errc::kBadFile, "key {}: {} types for {} pieces", kTypes, types.size(), v.pieces.size());
  for (size_t i = 0; i < v.pieces.size(); ++i) {
    const bool known = types[i] >= 0 && types[i] <= static_cast<int64_t>(PieceKind::kByte);
    v.kinds[i] = known ? static_cast<PieceKind>(types[i]) : PieceKind::kUndefined;
  }
}

// The defaults of a tokenizer.ggml.model's keys.
struct Defaults {
  std::string_view model;
  int64_t bos = -1, eos = -1, unk = -1, sep = -1, pad = -1;
  bool add_bos = false, add_eos = false, add_space_prefix = false;
};
constexpr std::array kDefaults = {
    Defaults{.model = "llama", .bos = 1, .eos = 2, .unk = 0, .add_bos = true, .add_space_prefix = true},
    Defaults{.model = "gemma4", .add_bos = true},
    Defaults{.model = "t5", .eos = 1, .unk = 2, .pad = 0, .add_eos = true},
    Defaults{.model = "bert", .bos = 101, .unk = 100, .sep = 102, .pad = 0, .add_bos = true},
};

Defaults defaults_of(const Vocab& v) {
  const auto found = std::ranges::find(kDefaults, v.model, &Defaults::model);
  if (found != kDefaults.end()) return *found;
  const PreTokenizerSpec* pre = find_pre_tokenizer(v.pre);
  return {.model = v.model, .add_bos = v.model == "gpt2" && pre && pre->add_bos};
}

// Files write -1 for "none"; other ids outside of the vocabulary are mistakes.
void tell_outside(std::string_view key, int64_t id, const Vocab& v) {
  constexpr int64_t kNone = std::numeric_limits<uint32_t>::max();  // -1 as 32 bits
  if (id >= v.size() && id != kNone)
    log(LogLevel::kWarn, "key {}: {} is not followed: the vocabulary has {} tokens", key, id, v.size());
}

std::optional<TokenId> special_id(const Meta& meta, const Vocab& v, std::string_view name, int64_t fallback = -1) {
  const int64_t id = meta.i64(fmt::format("tokenizer.ggml.{}_token_id", name), -1);
  if (id >= 0 && id < v.size()) return static_cast<TokenId>(id);
  if (fallback >= 0 && fallback < v.size()) return static_cast<TokenId>(fallback);
  return std::nullopt;
}

void read_specials(const Meta& meta, Vocab& v) {
  const Defaults defaults = defaults_of(v);
  const bool bert = v.model == "bert";
  v.bos = special_id(meta, v, "bos", bert ? meta.i64("tokenizer.ggml.cls_token_id", defaults.bos) : defaults.bos);
  v.eos = special_id(meta, v, "eos", defaults.eos);
  v.unk = special_id(meta, v, "unknown", defaults.unk);
  v.sep = special_id(meta, v, "seperator", defaults.sep);  // the key's own spelling
  v.pad = special_id(meta, v, "padding", defaults.pad);
  v.eot = special_id(meta, v, "eot");
  v.eom = special_id(meta, v, "eom");

  for (std::string_view name : {"bos", "eos", "eot", "eom"}) {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
    tell_outside(key, meta.i64(key, -1), v);
  }

  v.add_bos = meta.flag("tokenizer.ggml.add_bos_token", defaults.add_bos);
  v.add_eos = meta.flag("tokenizer.ggml.add_eos_token", defaults.add_eos);
  if (v.model == "gemma4" && v.bos && !v.add_bos) {
    log(LogLevel::kWarn, "key tokenizer.ggml.add_bos_token: false is taken for true: Gemma 4 needs BOS");
    v.add_bos = true;
  }
  // Elsewhere the key is about pairs of texts.
  v.add_sep = bert && meta.flag("tokenizer.ggml.add_sep_token", true);
  v.add_space_prefix = meta.flag("tokenizer.ggml.add_space_prefix", defaults.add_space_prefix);
}

// Older files give such tokens the kind of ordinary text, which would keep chat templates from being understood.
void make_control(Vocab& v, std::optional<TokenId> id) {
  if (id && v.kind(*id) == PieceKind::kNormal) v.kinds[static_cast<size_t>(*id)] = PieceKind::kControl;
}

// The token that ends a text by its name. A plain name is not enough: the file calls the token an end or a control token.
std::optional<TokenId> end_named(const Vocab& v, std::string_view name) {
  const std::optional<TokenId> id = v.find(name);
  if (!id || std::ranges::count(kPlainNames, name) == 0) return id;
  const bool told = v.kind(*id) == PieceKind::kControl || id == v.eos || id == v.eot || id == v.eom;
  return told ? id : std::nullopt;
}

void read_fill(const Meta& meta, Vocab& v) {
  for (const FillToken& token : fill_tokens()) {
    std::optional<TokenId>& id = v.fill.*token.field;
    id = special_id(meta, v, token.key);
    if (!id && !token.old_key.empty()) id = special_id(meta, v, token.old_key);
    for (auto name = token.names.begin(); !id && name != token.names.end(); ++name)
      id = token.ends ? end_named(v, *name) : v.find(*name);
  }
}

void find_turn_ends(Vocab& v) {
  for (auto name = kTurnEnds.begin(); !v.eot && name != kTurnEnds.end(); ++name) v.eot = end_named(v, *name);
  if (!v.eom) v.eom = end_named(v, "<|eom_id|>");
}

void mark_ends(const Meta& meta, Vocab& v) {
  v.ends.assign(v.pieces.size(), false);
  const auto mark = [&](std::optional<TokenId> id, bool end = true) {
    if (id) v.ends[static_cast<size_t>(*id)] = end;
  };
  const auto mark_all = [&](std::span<const std::string_view> names) {
    for (std::string_view name : names) {
      const std::optional<TokenId> id = end_named(v, name);
      mark(id);
      make_control(v, id);
    }
  };
  mark_all(kTurnEnds);
  mark_all(kOtherEnds);
  for (const FillToken& token : fill_tokens()) {
    for (std::string_view name : token.names)
      if (const std::optional<TokenId> id = v.find(name); id && id == v.fill.*token.field) make_control(v, id);
    if (!token.ends) continue;
    mark_all(token.names);
    mark(v.fill.*token.field);
  }
  for (std::string_view name : {"eos", "eot", "eom"}) mark(special_id(meta, v, name));
  mark(v.eos), mark(v.eot), mark(v.eom);

  // In Harmony's and Solar's dialogues <|end|> ends one of several messages of an answer.
  const bool harmony = v.find("<|return|>") && v.find("<|call|>");
  const bool solar = v.find("<|flush|>") && (v.find("<|calls|>") || v.find("<|call|>"));
  if (harmony || solar) mark(v.find("<|end|>"), false);
}

void read_rules(const Meta& meta, Vocab& v) {
  v.space_first = meta.flag(kSpaceFirstKey, false);
  if (std::optional<std::vector<TokenRules>> rules = read_token_rules(meta, v.pieces.size())) {
    v.rules = *std::move(rules);
    return;
  }
  v.rules.assign(v.pieces.size(), {});
  if (!strips_by_name(meta)) return;
  for (size_t i = 0; i < v.pieces.size(); ++i) {
    const bool special = v.is_special(static_cast<TokenId>(i)) || v.kinds[i] == PieceKind::kUserDefined;
    const std::string& piece = v.pieces[i];
    v.rules[i].rstrip = special && piece != "<unk>" && piece != "<s>" && piece != "<|endoftext|>";
  }
}

}  // namespace

Vocab Vocab::read(const Meta& meta) {
  Vocab v;
  v.model = meta.str("tokenizer.ggml.model");
  v.pre = meta.str("tokenizer.ggml.pre", "default");
  if (v.pre.empty()) v.pre = "default";
  read_pieces(meta, v);
  read_scores(meta, v);
  read_specials(meta, v);
  read_kinds(meta, v);
  find_turn_ends(v);
  read_fill(meta, v);
  mark_ends(meta, v);
  read_rules(meta, v);
  return v;
}

std::optional<TokenId> Vocab::find(std::string_view piece) const {
  const auto it = ids.find(piece);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

std::vector<TokenId> Vocab::end_tokens() const {
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < size(); ++id)
    if (is_end(id)) ids.push_back(id);
  return ids;
}

}  // namespace skald
