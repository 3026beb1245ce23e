#include "convert/tokenizers/special_tokens.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

struct Role {
  std::string_view name;  // in Hugging Face's files: "bos_token", "bos_token_id"
  std::string_view key;   // in GGUF: "tokenizer.ggml.<key>_token_id"
};
constexpr std::array kRoles = {Role{"bos", "bos"},     Role{"eos", "eos"}, Role{"unk", "unknown"}, Role{"sep", "seperator"},
                               Role{"pad", "padding"}, Role{"cls", "cls"}, Role{"mask", "mask"}};

// The ids of eos_token_id and its kin: one, or a list.
std::vector<int64_t> ids_in(const JsonNode& file, const std::string& key) {
  std::vector<int64_t> out;
  const auto node = file.find(key);
  if (!node) return out;
  if (!node->raw().is_array()) return {node->integer()};
  for (size_t i = 0; i < node->size(); ++i) out.push_back(node->at(i).integer());
  return out;
}

class SpecialTokens {
 public:
  SpecialTokens(const TokenizerFiles& files, const TokenizerParts& parts) : files_(files), parts_(parts) {
    for (const AddedToken& token : files.added_tokens()) by_name_[token.text] = token.id;
    for (const Role& role : kRoles) find_role(role.name);
    if (!ids_.contains("bos") && ids_.contains("cls")) ids_["bos"] = ids_["cls"];
    if (!ids_.contains("eos") && ids_.contains("sep")) ids_["eos"] = ids_["sep"];
    find_surroundings();
    if (parts_.specials.eot >= 0) ids_.try_emplace("eot", parts_.specials.eot);
  }

  void write(Meta& meta) const {
    for (const Role& role : kRoles) {
      if (const auto it = ids_.find(role.name); it != ids_.end()) set_id(meta, role.key, it->second);
    }
    if (const auto it = ids_.find("eot"); it != ids_.end()) set_id(meta, "eot", it->second);
    meta.set("tokenizer.ggml.add_bos_token", add_bos_);
    meta.set("tokenizer.ggml.add_eos_token", add_eos_);
    if (add_sep_) meta.set("tokenizer.ggml.add_sep_token", *add_sep_);
    mark_ends(meta);
  }

 private:
  static void set_id(Meta& meta, std::string_view key, int64_t id) {
    meta.set(fmt::format("tokenizer.ggml.{}_token_id", key), static_cast<uint32_t>(id));
  }

  std::optional<int64_t> id_of(const std::string& name) const {
    const auto added = by_name_.find(name);
    const std::optional<int64_t> id = added == by_name_.end() ? parts_.pieces.find(name) : added->second;
    return id && parts_.pieces.find(*id) ? id : std::nullopt;
  }

  // Files give a role's token by name, then by id; -1 and ids that the model has no row for mean none.
  void find_role(std::string_view role) {
    const auto name = files_.token_name(fmt::format("{}_token", role));
    if (const auto id = name ? id_of(*name) : std::nullopt) {
      ids_.emplace(role, *id);
      return;
    }
    std::vector<int64_t> ids = listed_ids(fmt::format("{}_token_id", role));
    ids.push_back(role == "bos"   ? parts_.specials.bos
                  : role == "eos" ? parts_.specials.eos
                  : role == "unk" ? parts_.specials.unk
                  : role == "pad" ? parts_.specials.pad
                                  : -1);
    const auto first = std::ranges::find_if(ids, [&](int64_t id) { return parts_.pieces.find(id) != nullptr; });
    if (first != ids.end()) ids_.emplace(role, *first);
  }

  std::vector<int64_t> listed_ids(const std::string& key) const {
    std::vector<JsonNode> files = files_.model_configs();
    if (files_.generation()) files.push_back(*files_.generation());
    std::vector<int64_t> out;
    for (const JsonNode& file : files) {
      for (int64_t id : ids_in(file, key)) out.push_back(id);
    }
    return out;
  }

  std::optional<bool> flag(std::string_view key) const {
    const auto found = files_.config() ? files_.config()->find(key) : std::nullopt;
    return found ? std::optional(found->flag()) : std::nullopt;
  }

  // These make their post-processor of the flags, against tokenizer.json.
  bool flags_decide() const {
    constexpr std::array<std::string_view, 4> kClasses = {"LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer",
                                                          "CohereTokenizer"};
    return std::ranges::count(kClasses, files_.tokenizer_class()) > 0;
  }

  bool adds(std::string_view key, bool in_template, bool fallback) const {
    const std::optional<bool> asked = flag(key);
    if (asked && (*asked || flags_decide())) return *asked;
    if (parts_.model == "gemma4") return fallback;  // even against tokenizer.json
    return files_.tokenizer() ? in_template : asked.value_or(fallback);
  }

  void find_surroundings() {
    const JsonPostProcessor none;
    const JsonPostProcessor& post = files_.tokenizer() ? files_.tokenizer()->post_processor : none;
    const bool t5 = files_.tokenizer_class() == "T5Tokenizer" || files_.model_type() == "t5";
    add_bos_ = adds("add_bos_token", !post.before.empty(), parts_.specials.add_bos && !t5);
    add_eos_ = adds("add_eos_token", !post.after.empty(), t5);
    if (add_bos_ && !post.before.empty()) take_bos(post);
    if (add_eos_ && !post.after.empty()) take_eos(post.after.back());
    if (post.is_template) find_separator(post);
    add_bos_ = add_bos_ && ids_.contains("bos");
    add_eos_ = add_eos_ && ids_.contains("eos");
  }

  // GGUF has room for one token in front.
  void take_bos(const JsonPostProcessor& post) {
    const auto first = id_of(post.before.front());
    if (!first) fail(Errc::kBadFile, "tokenizer.json: post_processor: no token {}", post.before.front());
    ids_["bos"] = *first;
    if (post.before.size() > 1)
      log(LogLevel::kWarn, "post_processor: of {} tokens before a text, GGUF keeps the first", post.before.size());
  }

  // A token that ended answers goes on doing so.
  void take_eos(const std::string& name) {
    const auto last = id_of(name);
    if (!last) fail(Errc::kBadFile, "tokenizer.json: post_processor: no token {}", name);
    const auto [eos, added] = ids_.try_emplace("eos", *last);
    if (eos->second == *last) return;
    ids_["eot"] = eos->second;
    eos->second = *last;
  }

  // A token between two texts besides the end that the first has. Readers of BERT's vocabularies suppose one.
  void find_separator(const JsonPostProcessor& post) {
    const size_t ends = post.between.empty() || post.after.empty() ? 0 : 1;
    const bool sep = post.between.size() > ends && role_id("sep") && id_of(post.between[0]) == role_id("sep");
    if (sep || parts_.model == "bert") add_sep_ = sep;
  }

  std::optional<int64_t> role_id(std::string_view role) const {
    const auto it = ids_.find(role);
    return it == ids_.end() ? std::nullopt : std::optional(it->second);
  }

  // Lists of tokens that end an answer: readers know most by name; there is room for two others.
  void mark_ends(Meta& meta) const {
    const Vocab vocab = Vocab::read(meta);
    std::vector<std::string_view> room;
    if (!ids_.contains("eot") && (!vocab.eot || vocab.eot == vocab.eos)) room.emplace_back("eot");
    if (!vocab.eom) room.emplace_back("eom");
    std::vector<int64_t> marked;
    const std::vector<int64_t> listed = listed_ids("eos_token_id");
    tell_outside(listed);
    for (int64_t id : listed) {
      if (!parts_.pieces.find(id) || vocab.is_end(static_cast<TokenId>(id)) || std::ranges::count(marked, id)) continue;
      if (marked.size() < room.size()) {
        set_id(meta, room[marked.size()], id);
      } else {
        log(LogLevel::kWarn, "eos_token_id: GGUF has no room for {}, with which an answer ends, too", id);
      }
      marked.push_back(id);
    }
  }

  void tell_outside(const std::vector<int64_t>& ends) const {
    for (const int64_t id : std::set(ends.begin(), ends.end()))
      if (id >= parts_.pieces.size())
        log(LogLevel::kWarn, "eos_token_id: {} is not followed: the vocabulary has {} tokens", id, parts_.pieces.size());
  }

  const TokenizerFiles& files_;
  const TokenizerParts& parts_;
  std::map<std::string, int64_t, std::less<>> by_name_;
  std::map<std::string, int64_t, std::less<>> ids_;  // by role, and "eot"
  bool add_bos_ = false, add_eos_ = false;
  std::optional<bool> add_sep_;
};

// Without tokenizer.json no list of added tokens says that these are special.
void mark_named(const TokenizerFiles& files, TokenizerParts& parts) {
  for (const Role& role : kRoles) {
    const auto name = files.token_name(fmt::format("{}_token", role.name));
    const auto id = name && name->size() > 1 ? parts.pieces.find(*name) : std::nullopt;
    if (!id || parts.pieces.find(*id)->kind != PieceKind::kNormal) continue;
    Piece piece = *parts.pieces.find(*id);
    piece.kind = PieceKind::kControl;
    parts.pieces.replace(*id, std::move(piece));
  }
}

// Of tokens that no list of added tokens has.
void add_role_rules(const TokenizerFiles& files, TokenizerParts& parts) {
  for (const Role& role : kRoles) {
    const std::string key = fmt::format("{}_token", role.name);
    const std::optional<TokenRules> rules = files.role_rules(key);
    const auto id = rules ? parts.pieces.find(*files.token_name(key)) : std::nullopt;
    if (id) parts.rules.try_emplace(*id, *rules);
  }
}

// The markers of Gemma 4's replies: special in its files, and text in GGUF's.
void show_markers(TokenizerParts& parts) {
  for (const char* name :
       {"<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", "<|\"|>"}) {
    const std::optional<int64_t> id = parts.pieces.find(name);
    if (!id) continue;
    Piece piece = *parts.pieces.find(*id);
    piece.kind = PieceKind::kUserDefined;
    parts.pieces.replace(*id, std::move(piece));
  }
}

}  // namespace

void add_tokens(const TokenizerFiles& files, TokenizerParts& parts) {
  constexpr float kAddedScore = -1000;  // llama.cpp's converter's; nothing reads it
  for (const AddedToken& token : files.added_tokens()) {
    const Piece* old = parts.pieces.find(token.id);
    Piece piece{.text = token.text, .kind = PieceKind::kControl, .score = kAddedScore};
    if (old && old->kind == PieceKind::kUnknown) {
      piece.kind = PieceKind::kUnknown;
    } else if (!token.special) {
      piece.kind = PieceKind::kUserDefined;
      piece.text = replaced(piece.text, kPieceSpace, " ");
    }
    if (old && parts.model != "llama") piece.score = old->score;
    parts.pieces.replace(token.id, std::move(piece));
    parts.rules[token.id] = token.rules;
  }
  add_role_rules(files, parts);
  parts.space_first = files.tokenizer() && files.tokenizer()->normalizer.space_first;
  if (!files.tokenizer()) mark_named(files, parts);
  if (parts.model == "gemma4") show_markers(parts);
}

void set_special_tokens(const TokenizerFiles& files, const TokenizerParts& parts, Meta& meta) {
  SpecialTokens(files, parts).write(meta);
}

}  // namespace skald
