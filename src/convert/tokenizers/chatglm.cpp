#include "convert/tokenizers/chatglm.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 5> kSpecials = {"[MASK]", "[gMASK]", "[sMASK]", "sop", "eop"};
constexpr std::array<std::string_view, 4> kChatRoles = {"<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"};
constexpr std::string_view kUser = kChatRoles[1];

// ChatGLM3's files have changed over time.
bool has_roles(const TokenizerFiles& files) {
  const std::vector<AddedToken> added = files.added_tokens();
  const bool named = files.model_configs().front().text("_name_or_path", "").find("chatglm3") != std::string::npos;
  return named || std::ranges::count(added, kUser, &AddedToken::text) > 0 ||
         (files.config() && files.config()->find("chat_template"));
}

int64_t behind_all(const PieceTable& pieces) {
  int64_t id = pieces.size();
  while (id > 0 && !pieces.find(id - 1)) --id;
  return id;
}

// The number of spaces that <|blank_17|> stands for; 0 for other pieces.
int64_t spaces_in(std::string_view piece) {
  constexpr std::string_view kBegin = "<|blank_", kEnd = "|>";
  constexpr int64_t kMost = 80;
  if (!piece.starts_with(kBegin) || !piece.ends_with(kEnd)) return 0;
  piece = piece.substr(kBegin.size(), piece.size() - kBegin.size() - kEnd.size());
  int64_t n = 0;
  const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), n);
  return error == std::errc() && end == piece.data() + piece.size() && n > 0 && n <= kMost ? n : 0;
}

std::string spelled_piece(std::string_view piece) {
  if (piece == "<n>") return "\n";
  if (piece == "<|tab|>") return "\t";
  std::string out;
  for (int64_t i = spaces_in(piece); i > 0; --i) out += kPieceSpace;
  return out;
}

}  // namespace

void add_chatglm_specials(const TokenizerFiles& files, TokenizerParts& parts) {
  int64_t id = behind_all(parts.pieces);
  const auto add = [&](std::string_view name) {
    parts.pieces.add(id++, {.text = std::string(name), .kind = PieceKind::kControl});
  };
  std::ranges::for_each(kSpecials, add);
  if (has_roles(files)) {
    std::ranges::for_each(kChatRoles, add);
    parts.specials.eot = parts.pieces.find(kUser).value_or(-1);  // an answer ends where the user's next turn begins
  }
  parts.specials.pad = parts.specials.unk;
  parts.specials.add_bos = false;
}

// As ordinary pieces: a text would begin anew, with a space, after those that a user defined.
void spell_chatglm1_spaces(const TokenizerFiles& files, TokenizerParts& parts) {
  const auto pictures = files.config() ? files.config()->find("num_image_tokens") : std::nullopt;
  if (pictures && pictures->integer() != 0)
    fail(Errc::kUnsupported, "{}: want 0, file has {}: a later revision of the model has no tokens of pictures",
         pictures->name(), pictures->integer());
  for (int64_t id = 0; id < parts.pieces.size(); ++id) {
    const Piece* piece = parts.pieces.find(id);
    const std::string text = piece ? spelled_piece(piece->text) : "";
    if (!text.empty()) parts.pieces.replace(id, {.text = text, .kind = PieceKind::kNormal, .score = 0});
  }
  parts.specials.add_bos = false;
}

}  // namespace skald
