#include "sampling/grammar/replies/text_values.h"

#include <array>

#include "text/chat/replies/reply_tools.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

constexpr uint8_t kAllKinds = kTextKind | kNumberKind | kBoolKind | kNullKind | kObjectKind | kArrayKind;

RegexId bytes_of(RegexSet& regexes, std::string_view bytes) {
  ByteSet out;
  for (const char c : bytes) out.add(static_cast<uint8_t>(c));
  return regexes.bytes(out);
}

}  // namespace

// A carriage return at the end would be taken for the line's.
TextValues::TextValues(Grammar& grammar, SchemaReader& reader, SchemaWriter& json,
                       const std::vector<std::string_view>& marks)
    : grammar_(grammar), reader_(reader), json_(json) {
  RegexSet& regexes = grammar.regexes;
  const RegexId any = regexes.anything();
  std::vector<RegexId> wrong{regexes.concat(std::array{any, regexes.literal("\r")})};
  for (const std::string_view mark : marks)
    if (!mark.empty()) wrong.push_back(regexes.concat(std::array{any, regexes.literal(mark), any}));
  clean_ = regexes.complement(regexes.any_of(wrong));
}

RegexId TextValues::texts_of(FormulaId formula) {
  const RegexId strings = reader_.shape(formula).strings;
  return grammar_.regexes.both(reader_.algebra().strings.unquoted(strings), clean_);
}

// Texts that are JSON of these kinds, white space aside; more than really are of those that end with a sign of their own.
RegexId TextValues::reads_as(uint8_t kinds) {
  RegexSet& regexes = grammar_.regexes;
  ShapeAlgebra& algebra = reader_.algebra();
  const RegexId any = regexes.anything(), space = regexes.repeat(bytes_of(regexes, kWhiteSpace), 0, -1);
  std::vector<RegexId> begins, words;
  if (kinds & kNumberKind) words.push_back(algebra.numbers.spelled(algebra.everything().numbers));
  if (kinds & kObjectKind) begins.push_back(regexes.literal("{"));
  if (kinds & kArrayKind) begins.push_back(regexes.literal("["));
  if (kinds & kTextKind) begins.push_back(regexes.literal("\""));
  if (kinds & kBoolKind) words.insert(words.end(), {regexes.literal("true"), regexes.literal("false")});
  if (kinds & kNullKind) words.push_back(regexes.literal("null"));
  const std::array begun{space, regexes.any_of(begins), any}, word{space, regexes.any_of(words), space};
  return regexes.any_of(std::array{regexes.concat(begun), regexes.concat(word)});
}

Piece TextValues::text(FormulaId formula) {
  const RegexId texts = texts_of(formula);
  return grammar_.regexes.is_nothing(texts) ? json_.pieces().nothing() : json_.pieces().regex(texts);
}

Piece TextValues::other(FormulaId formula, uint8_t kinds) {
  Shape shape = reader_.shape(formula);
  if (!(kinds & kTextKind)) shape.strings = RegexSet::kNothing;
  if (!(kinds & kNumberKind)) shape.numbers = reader_.algebra().numbers.none();
  if (!(kinds & kBoolKind)) shape.no = shape.yes = false;
  if (!(kinds & kNullKind)) shape.null = false;
  if (!(kinds & kArrayKind)) shape.arrays.clear();
  if (!(kinds & kObjectKind)) shape.objects.clear();
  return json_.of_shape(shape);
}

Piece TextValues::value(FormulaId formula, uint8_t kinds) {
  if (kinds == kTextKind) return text(formula);
  if (kinds != kNoKind && !(kinds & kTextKind)) return other(formula, kinds);
  const uint8_t as_json = kinds == kNoKind ? kAllKinds : static_cast<uint8_t>(kinds & ~kTextKind);
  RegexSet& regexes = grammar_.regexes;
  const RegexId texts = regexes.both(texts_of(formula), regexes.complement(reads_as(as_json)));
  const Piece plain = regexes.is_nothing(texts) ? json_.pieces().nothing() : json_.pieces().regex(texts);
  return json_.pieces().any_of(std::array{plain, other(formula, as_json)});
}

}  // namespace skald
