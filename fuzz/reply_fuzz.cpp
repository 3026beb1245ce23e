// Fuzzes the readers of replies: any text in any pieces is read, and the pieces do not matter.
//
// Input: a byte that chooses the format, one whose bits are truncated, within reasoning, and tools known, one for the size
// of the pieces, and the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text/chat/replies/reply_parser.h"

namespace {

using namespace skald;

void check(bool holds) {
  if (!holds) std::abort();
}

Reply in_pieces(const ReplyFormat& format, std::string_view text, size_t bytes, const ReplyOptions& options,
                bool truncated) {
  ReplyParser parser(format, options);
  Reply out;
  for (size_t at = 0; at < text.size(); at += bytes) out.add(parser.push(text.substr(at, bytes)));
  out.add(parser.finish(truncated));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const ReplyFormat& format = *reply_formats()[data[0] % reply_formats().size()];
  const bool truncated = data[1] & 1;
  ReplyOptions options;
  if (data[1] & 2) options.generation_prompt = "<think>";
  if (data[1] & 4)
    options.tools = ReplyTools::parse(R"([{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}])");
  const std::string_view text(reinterpret_cast<const char*>(data + 3), size - 3);
  const Reply whole = parse_reply(format, text, options, truncated);
  check(in_pieces(format, text, std::max<size_t>(data[2], 1), options, truncated) == whole);
  for (const ReplyCall& call : whole.calls) {
    check(!call.name.empty());
    check(nlohmann::json::parse(call.arguments).is_object());
  }
  detect_reply_format(text);
  return 0;
}
