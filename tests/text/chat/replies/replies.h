// Reading replies in tests: whole, and cut in every way that matters.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/chat/replies/reply_parser.h"

namespace skald::replies_test {

inline Reply in_pieces(const ReplyFormat& format, std::string_view text, size_t first, size_t rest,
                       const ReplyOptions& options, bool truncated) {
  ReplyParser parser(format, options);
  Reply out;
  for (size_t at = 0; at < text.size(); at += at == 0 ? first : rest)
    out.add(parser.push(text.substr(at, at == 0 ? first : rest)));
  out.add(parser.finish(truncated));
  return out;
}

/// The reply, which is the same byte by byte and cut in two at every place.
inline Reply read(std::string_view format_name, std::string_view text, const ReplyOptions& options = {},
                  bool truncated = false) {
  const ReplyFormat& format = find_reply_format(format_name);
  const Reply whole = parse_reply(format, text, options, truncated);
  EXPECT_EQ(in_pieces(format, text, 1, 1, options, truncated), whole) << format_name << ": byte by byte: " << text;
  for (size_t cut = 1; cut < text.size(); ++cut) {
    const Reply cut_once = in_pieces(format, text, cut, text.size(), options, truncated);
    EXPECT_EQ(cut_once, whole) << format_name << ": cut at " << cut << ": " << text;
    if (cut_once != whole) break;
  }
  return whole;
}

inline std::string shown(const Reply& reply) {
  std::string out = "content: " + reply.content + "\nreasoning: " + reply.reasoning;
  for (const ReplyCall& call : reply.calls) out += "\ncall: " + call.name + " " + call.arguments;
  return out;
}

}  // namespace skald::replies_test

namespace skald {
inline void PrintTo(const Reply& reply, std::ostream* out) { *out << replies_test::shown(reply); }
}  // namespace skald
