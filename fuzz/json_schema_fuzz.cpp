// Fuzzes JSON schemas: any text is a schema or throws an Error, and what is one takes texts without a fault.
//
// Input: the schema, and behind a byte 0xFE the text that is tried.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/read_grammar.h"
#include "skald/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skald;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\xFE'), size);
  const std::string_view text = input.substr(std::min(end + 1, size));
  try {
    Pushdown automaton(PushdownProgram(
        read_grammar({.kind = GrammarParams::Kind::kJsonSchema, .text = std::string(input.substr(0, end))}, {})));
    GrammarState state = automaton.start();
    if (state == Pushdown::kDead) std::abort();  // a grammar that no text fits is an error
    for (const char c : text.substr(0, 256)) state = automaton.step(state, static_cast<uint8_t>(c));
  } catch (const Error&) {
  }
  return 0;
}
