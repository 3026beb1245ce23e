// Fuzzes the readers of Hugging Face's vocabularies: any bytes throw an Error or give metadata that a tokenizer is made of.
//
// Input: a byte that says which file it is, then the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "convert/tokenizers/json_kinds.h"
#include "convert/tokenizers/regex_form.h"
#include "convert/tokenizers/sentencepiece_parts.h"
#include "convert/tokenizers/tekken.h"
#include "convert/tokenizers/tiktoken.h"
#include "io/json.h"
#include "skald/error.h"
#include "text/tokenizer.h"

namespace {

using namespace skald;

TokenizerParts read(uint8_t kind, std::string_view file) {
  PieceTable pieces(400);
  if (kind % 4 == 0) return sentencepiece_parts(file, std::move(pieces));
  if (kind % 4 == 1) return tiktoken_parts(file, std::move(pieces));
  const nlohmann::json json = parse_json(file);
  const JsonNode root(json, "file.json");
  if (kind % 4 == 2) return tekken_parts(root, std::move(pieces), {});
  return read_tokenizer_json(TokenizerJson::parse(root), std::move(pieces), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (regex_form(file).size() > 10 * file.size() + 10) std::abort();  // a character becomes \x{10ffff} at most
  try {
    const TokenizerParts parts = read(data[0], file);
    Meta meta;
    set_vocabulary(parts, meta);
    Tokenizer::create(meta)->encode(file);
  } catch (const Error& e) {
    if (e.code() == Errc::kInternal) std::abort();
  }
  return 0;
}
