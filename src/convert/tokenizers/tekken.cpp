#include "convert/tokenizers/tekken.h"

#include <array>

#include "base/error.h"
#include "convert/tokenizers/base64.h"
#include "convert/tokenizers/ranked_pieces.h"
#include "convert/tokenizers/regex_form.h"

namespace skald {
namespace {

// The first special tokens of files that do not list them.
constexpr std::array<std::string_view, 20> kFirstSpecials = {"<unk>",
                                                             "<s>",
                                                             "</s>",
                                                             "[INST]",
                                                             "[/INST]",
                                                             "[AVAILABLE_TOOLS]",
                                                             "[/AVAILABLE_TOOLS]",
                                                             "[TOOL_RESULTS]",
                                                             "[/TOOL_RESULTS]",
                                                             "[TOOL_CALLS]",
                                                             "[IMG]",
                                                             "<pad>",
                                                             "[IMG_BREAK]",
                                                             "[IMG_END]",
                                                             "[PREFIX]",
                                                             "[MIDDLE]",
                                                             "[SUFFIX]",
                                                             "[SYSTEM_PROMPT]",
                                                             "[/SYSTEM_PROMPT]",
                                                             "[TOOL_CONTENT]"};

int64_t count_of(const JsonNode& config, std::string_view key) {
  const JsonNode node = config.at(key);
  const int64_t out = node.integer();
  if (out < 0 || out > kMaxPieces) node.want("a number of pieces");
  return out;
}

// Below `count`, special tokens have ids of their own; those that no name is given for are called after their id.
void add_specials(const JsonNode& root, int64_t count, PieceTable& pieces) {
  if (const auto list = root.find("special_tokens")) {
    for (size_t i = 0; i < list->size(); ++i) {
      const JsonNode token = list->at(i);
      const int64_t id = token.at("rank").integer();
      if (id < 0 || id >= count) token.at("rank").want("the id of a special token");
      pieces.add(id, {.text = token.at("token_str").text(), .kind = PieceKind::kControl});
    }
  } else {
    for (size_t id = 0; id < kFirstSpecials.size() && static_cast<int64_t>(id) < count; ++id)
      pieces.add(static_cast<int64_t>(id), {.text = std::string(kFirstSpecials[id]), .kind = PieceKind::kControl});
  }
  for (int64_t id = 0; id < count; ++id) {
    if (!pieces.find(id)) pieces.add(id, {.text = fmt::format("<SPECIAL_{}>", id), .kind = PieceKind::kControl});
  }
}

// The file has more pieces than the models use.
std::vector<RankedPiece> read_pieces(const JsonNode& vocab, int64_t used) {
  std::vector<RankedPiece> out;
  for (size_t i = 0; i < vocab.size(); ++i) {
    const JsonNode piece = vocab.at(i);
    const int64_t rank = piece.at("rank").integer();
    if (rank < 0) piece.at("rank").want("a rank");
    auto bytes = base64_bytes(piece.at("token_bytes").text());
    if (!bytes) piece.at("token_bytes").want("base64");
    if (rank < used) out.push_back({std::move(*bytes), rank});
  }
  return out;
}

}  // namespace

TokenizerParts tekken_parts(const JsonNode& root, PieceTable pieces, const PreTokenizerChoice& pre) {
  const JsonNode config = root.at("config");
  const int64_t specials = count_of(config, "default_num_special_tokens");
  const int64_t used = count_of(config, "default_vocab_size") - specials;
  add_specials(root, specials, pieces);
  TokenizerParts out = ranked_bpe(read_pieces(root.at("vocab"), used), specials, std::move(pieces));
  out.pre = pre_tokenizer_name({.patterns = {regex_form(config.at("pattern").text())}, .ignore_merges = true}, pre);
  out.specials = {.bos = out.pieces.find("<s>").value_or(-1),
                  .eos = out.pieces.find("</s>").value_or(-1),
                  .unk = out.pieces.find("<unk>").value_or(-1),
                  .pad = out.pieces.find("<pad>").value_or(-1),
                  .add_bos = true};
  return out;
}

}  // namespace skald
