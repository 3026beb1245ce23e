// Fuzzes grammars in GBNF: any text is a grammar or throws an Error, and what is one takes texts and gives masks without a
// fault.
//
// Input: the grammar, and behind a byte 0xFE the text that is tried.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/constraint.h"
#include "sampling/grammar/read_grammar.h"
#include "skald/error.h"

namespace {

using namespace skald;

std::shared_ptr<const GrammarVocabulary> vocabulary() {
  static const auto known = [] {
    std::vector<std::string> texts;
    for (int b = 0; b < 256; ++b) texts.emplace_back(1, static_cast<char>(b));
    for (const char* text : {"ab", "aa", "\": \"", "root", "\xC3\xA9", "  ", "},\n", "0123"}) texts.emplace_back(text);
    return std::make_shared<const GrammarVocabulary>(std::move(texts));
  }();
  return known;
}

// A token is allowed exactly if its text can be taken.
void check_mask(const Constraint& at) {
  std::vector<uint32_t> mask(vocabulary()->words());
  at.allowed_texts(mask);
  for (size_t i = 0; i < vocabulary()->tokens(); ++i) {
    Constraint copy = at;
    const std::string& text = vocabulary()->text(static_cast<TokenId>(i));
    if ((copy.accept_text(text) == text.size()) != (mask[i / 32] >> i % 32 & 1)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\xFE'), size);
  const std::string_view text = input.substr(std::min(end + 1, size));
  try {
    const auto grammar = std::make_shared<CompiledGrammar>(
        read_grammar({.kind = GrammarParams::Kind::kGbnf, .text = std::string(input.substr(0, end))}), vocabulary());
    Constraint at(grammar);
    check_mask(at);
    for (const char c : text.substr(0, 64)) {
      if (at.accept_text({&c, 1}) == 0) break;
      check_mask(at);
    }
  } catch (const Error&) {
  }
  return 0;
}
