// BPE over characters, which SentencePiece made: pieces spell spaces as U+2581, and bytes that no piece has as <0x0A>.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/json_checks.h"
#include "convert/tokenizers/json_kinds.h"
#include "convert/tokenizers/json_vocab.h"
#include "text/byte_piece.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

// Pieces in the order in which merges first make them; of those that no merge makes, ids rise.
class MergeOrder {
 public:
  explicit MergeOrder(const std::vector<Merge>& merges) {
    for (const auto& [left, right] : merges) {
      std::vector<size_t>& cuts = cuts_.try_emplace(left + right).first->second;
      if (cuts.empty()) order_.emplace(left + right, static_cast<int64_t>(order_.size()));
      cuts.push_back(left.size());
    }
    next_ = static_cast<int64_t>(order_.size());
  }

  // SentencePiece's own: the first piece has 0, each later one is 1 less.
  float score(const std::string& piece) {
    const auto it = order_.find(piece);
    return -static_cast<float>(it == order_.end() ? next_++ : it->second);
  }

  // Whether `piece` is the merge of the parts before and after `cut`.
  bool merges_at(const std::string& piece, size_t cut) const {
    const auto it = cuts_.find(piece);
    return it != cuts_.end() && std::ranges::count(it->second, cut) > 0;
  }

 private:
  std::unordered_map<std::string, int64_t> order_;
  std::unordered_map<std::string, std::vector<size_t>> cuts_;
  int64_t next_;
};

// GGUF's tokenizer merges any two neighbours that make a piece. Files that SentencePiece made list all of these merges.
void warn_of_more_merges(const std::vector<Piece>& pieces, const MergeOrder& order) {
  std::unordered_map<std::string_view, bool> known;
  for (const Piece& p : pieces) {
    if (p.kind == PieceKind::kNormal) known[p.text] = true;
  }
  int64_t more = 0;
  for (const Piece& p : pieces) {
    if (p.kind != PieceKind::kNormal || p.text.size() > 256) continue;
    const std::string_view text = p.text;
    for (size_t cut = char_length(text, 0); cut < text.size(); cut += char_length(text, cut)) {
      more += known.contains(text.substr(0, cut)) && known.contains(text.substr(cut)) && !order.merges_at(p.text, cut);
    }
  }
  if (more > 0) {
    log(LogLevel::kWarn,
        "model.merges: {} pairs of pieces make a piece without being a merge; GGUF's tokenizer will merge them all the same",
        more);
  }
}

PieceKind kind_of(const std::string& text, const std::string& unknown, bool byte_fallback) {
  if (text == unknown) return PieceKind::kUnknown;
  return byte_fallback && byte_of_piece(text) ? PieceKind::kByte : PieceKind::kNormal;
}

void check_steps(const TokenizerJson& json) {
  check_steps_known(json.normalizer);
  check_steps_known(json.pre_tokenizer);
  check_no_affixes(json.model);
  if (!json.normalizer.spaces_spelled && !json.pre_tokenizer.metaspace)
    fail(Errc::kUnsupported, "{}: BPE that spells neither bytes nor spaces as GGUF's tokenizers do", json.model.name());
  if (!json.pre_tokenizer.patterns.empty())
    fail(Errc::kUnsupported, "pre_tokenizer: GGUF has no BPE over characters that cuts texts by {}",
         json.pre_tokenizer.patterns[0]);
}

// Pieces in the order of their ids, of their kinds, with a score for each normal one.
std::vector<Piece> rate(const TokenizerJson& json, PieceTable& pieces,
                        const std::function<float(const std::string&)>& score) {
  const std::string unknown = json.model.text("unk_token", "");
  const bool bytes = json.model.flag("byte_fallback", false);
  std::vector<Piece> all;
  for (int64_t id = 0; id < pieces.size(); ++id) {
    const Piece* found = pieces.find(id);
    if (!found) continue;
    Piece piece = *found;
    piece.kind = kind_of(piece.text, unknown, bytes);
    if (piece.kind == PieceKind::kNormal) piece.score = score(piece.text);
    all.push_back(piece);
    pieces.replace(id, std::move(piece));
  }
  return all;
}

}  // namespace

TokenizerParts sentencepiece_bpe(const TokenizerJson& json, PieceTable pieces) {
  check_steps(json);
  const std::vector<Merge> merges = read_merges(json.model.at("merges"));
  add_pieces(json.model.at("vocab"), pieces);
  check_merges(merges, json.model.at("vocab"));

  TokenizerParts out{.model = "llama", .pieces = std::move(pieces), .has_scores = true};
  MergeOrder order(merges);
  const std::vector<Piece> all = rate(json, out.pieces, [&](const std::string& piece) { return order.score(piece); });
  warn_of_more_merges(all, order);
  out.add_space_prefix = json.normalizer.space_first || (json.pre_tokenizer.metaspace && json.pre_tokenizer.space_first);
  return out;
}

TokenizerParts listed_bpe(const TokenizerJson& json, PieceTable pieces) {
  constexpr float kUnrated = -1000;  // as llama.cpp's converter; nothing reads it
  check_steps(json);
  if (json.normalizer.space_first || json.pre_tokenizer.space_first)
    fail(Errc::kUnsupported, "normalizer: GGUF has no BPE by merges over characters that puts a space in front");
  const std::vector<Merge> merges = read_merges(json.model.at("merges"));
  add_pieces(json.model.at("vocab"), pieces);
  check_merges(merges, json.model.at("vocab"));

  TokenizerParts out{.model = "gemma4", .pieces = std::move(pieces), .has_scores = true, .merges = merge_lines(merges)};
  rate(json, out.pieces, [](const std::string&) { return kUnrated; });
  out.add_space_prefix = false;
  out.specials.add_bos = true;
  return out;
}

}  // namespace skald
