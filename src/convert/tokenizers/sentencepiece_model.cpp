#include "convert/tokenizers/sentencepiece_model.h"

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "convert/tokenizers/protobuf_reader.h"
#include "io/printable.h"

namespace skald {
namespace {

// GGUF has taken its numbers from the schema's SentencePiece.Type.
PieceKind kind_of(int64_t type) {
  constexpr auto kFirst = static_cast<int64_t>(PieceKind::kNormal), kLast = static_cast<int64_t>(PieceKind::kByte);
  if (type < kFirst || type > kLast) fail(Errc::kBadFile, "unknown type {}", type);
  return static_cast<PieceKind>(type);
}

Piece read_piece(std::string_view message) {
  Piece out;
  ProtobufReader reader(message);
  while (const ProtobufField* field = reader.next()) {
    if (field->number() == 1) out.text = field->bytes();
    if (field->number() == 2) out.score = field->real();
    if (field->number() == 3) out.kind = kind_of(field->integer());
  }
  if (out.text.empty()) fail(Errc::kBadFile, "no text");
  if (valid_utf8(out.text) != out.text) fail(Errc::kBadFile, "{} is not UTF-8", skald::quoted(out.text));
  if (std::isnan(out.score)) fail(Errc::kBadFile, "the score is not a number");
  return out;
}

void read_trainer(std::string_view message, SentencePieceModel& out) {
  ProtobufReader reader(message);
  while (const ProtobufField* field = reader.next()) {
    if (field->number() == 3) {
      const int64_t type = field->integer();
      if (type < 1 || type > 4) fail(Errc::kBadFile, "unknown model_type {}", type);
      out.type = static_cast<SentencePieceModel::Type>(type);
    }
    if (field->number() == 24) out.whitespace_as_suffix = field->flag();
    if (field->number() == 40) out.unk = field->integer();
    if (field->number() == 41) out.bos = field->integer();
    if (field->number() == 42) out.eos = field->integer();
    if (field->number() == 43) out.pad = field->integer();
  }
}

void read_normalizer(std::string_view message, SentencePieceModel& out) {
  ProtobufReader reader(message);
  while (const ProtobufField* field = reader.next()) {
    if (field->number() == 2) out.charsmap = field->bytes();
    if (field->number() == 3) out.add_dummy_prefix = field->flag();
    if (field->number() == 4) out.remove_extra_whitespaces = field->flag();
    if (field->number() == 5) out.escape_whitespaces = field->flag();
  }
}

}  // namespace

SentencePieceModel SentencePieceModel::parse(std::string_view bytes) {
  SentencePieceModel out;
  ProtobufReader reader(bytes);
  while (const ProtobufField* field = reader.next()) {
    if (field->number() == 1) {
      if (std::ssize(out.pieces) == kMaxPieces) fail(Errc::kBadFile, "more than {} pieces", kMaxPieces);
      out.pieces.push_back(doing(fmt::format("piece {}", out.pieces.size()), [&] { return read_piece(field->bytes()); }));
    }
    if (field->number() == 2) doing("trainer_spec", [&] { read_trainer(field->bytes(), out); });
    if (field->number() == 3) doing("normalizer_spec", [&] { read_normalizer(field->bytes(), out); });
  }
  if (out.pieces.empty()) fail(Errc::kBadFile, "no pieces");
  return out;
}

}  // namespace skald
