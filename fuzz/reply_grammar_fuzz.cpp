// Fuzzes grammars of calls: any text is a list of tools or throws an Error, and what the grammar takes is read as calls of
// these tools.
//
// Input: a byte that chooses the format, one for the choice of tools, the tools, and behind a byte 0xFE the text that is
// tried.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/read_grammar.h"
#include "skald/error.h"
#include "text/chat/replies/reply_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skald;
  if (size < 2) return 0;
  const ReplyFormat& format = *reply_formats()[data[0] % reply_formats().size()];
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t end = std::min(input.find('\xFE'), input.size());
  const std::string tools(input.substr(0, end)), text(input.substr(std::min(end + 1, input.size())).substr(0, 256));
  if (tools.empty()) return 0;
  try {
    Pushdown automaton(PushdownProgram(read_grammar({.reply = {.format = std::string(format.name),
                                                               .tools = tools,
                                                               .choice = static_cast<ReplyParams::ToolChoice>(data[1] % 3),
                                                               .parallel = (data[1] & 4) != 0}})));
    GrammarState state = automaton.start();
    if (state == Pushdown::kDead) std::abort();  // a grammar that no text fits is an error
    for (const char c : text) state = automaton.step(state, static_cast<uint8_t>(c));
    if (state == Pushdown::kDead || !automaton.accepts(state)) return 0;
    const ReplyTools known = ReplyTools::parse(tools);
    for (const ReplyCall& call : parse_reply(format, text, {.tools = known}).calls)
      if (!known.has(call.name)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
