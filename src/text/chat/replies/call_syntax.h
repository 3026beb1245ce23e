// How formats write calls: four kinds of syntax, which a format fills in with its markers. White space between the parts is
// free, and parts that models often leave out or add are forgiven where nothing else can be meant.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "text/chat/replies/reading.h"
#include "text/chat/replies/reply_reader.h"

namespace skald {

/// Calls as JSON: {"name": ..., "arguments": {...}}, several in a list or in a row.
struct JsonCalls {
  std::string_view open;        // in front of the calls
  std::string_view close = {};  // after them; empty: nothing is
  bool name_is_key = false;     // {"f": {"a": 1}}
};

/// Calls as a name and the arguments: open, name, name_end, arguments, close.
struct NamedCalls {
  enum class Values : uint8_t { kJson, kGemma };

  std::string_view open, name_end, close = {};
  Values values = Values::kJson;
  /// Takes name and id from the text between `open` and `name_end`; none: it is the name.
  void (*read_name)(std::string_view text, ReplyCall& call) = nullptr;
  bool keeps_name_end = false;  // `name_end` is the arguments' first byte
};

/// Calls whose arguments are written one by one between tags: open, name, name_end; key_open, key, key_end, value,
/// value_close for each; close. Where `open` or `key_open` ends with a quotation mark, name or key end with another.
/// Attributes may follow up to name_end or key_end: string="true" and type="string" tell that the value is a text.
struct TaggedCalls {
  std::string_view open, name_end;  // no name_end: white space or a "<" ends the name
  std::string_view key_open, key_end, value_close, close;
  std::string_view value_open = {};                    // between key_end and the value
  std::string_view outer_open = {}, outer_close = {};  // around one or several calls
  bool line_values = false;                            // one line feed at each end does not belong to a value
};

/// Calls as Python writes them: [f(a=1), g(b='x')], or one alone.
struct PythonCalls {
  std::string_view open, close = {};
  std::string_view method = {};  // dropped at the end of a name: ".call"
};

using CallSyntax = std::variant<JsonCalls, NamedCalls, TaggedCalls, PythonCalls>;

/// The texts at which calls begin: one or two, the second maybe empty.
struct Openings {
  std::string_view first, second = {};
};
Openings openings(const JsonCalls& s);
Openings openings(const NamedCalls& s);
Openings openings(const TaggedCalls& s);
Openings openings(const PythonCalls& s);

/// The texts at which calls end, some maybe empty: one too many is nothing.
using Endings = std::array<std::string_view, 2>;
inline Endings endings(const JsonCalls& s) { return {s.close}; }
inline Endings endings(const NamedCalls& s) { return {s.close}; }
inline Endings endings(const TaggedCalls& s) { return {s.close, s.outer_close}; }
inline Endings endings(const PythonCalls& s) { return {s.close}; }

/// Tells whether the text after the opening fits the syntax. The position is anywhere afterwards.
Reading fits(ReplyReader& r, const JsonCalls& s, std::string_view opening);
Reading fits(ReplyReader& r, const NamedCalls& s, std::string_view opening);
Reading fits(ReplyReader& r, const TaggedCalls& s, std::string_view opening);
Reading fits(ReplyReader& r, const PythonCalls& s, std::string_view opening);

/// Reads the calls after an opening and adds each when it is whole. False: something else is there, and the position is
/// where that was clear.
Reading read_calls(ReplyReader& r, const JsonCalls& s, std::string_view opening);
Reading read_calls(ReplyReader& r, const NamedCalls& s, std::string_view opening);
Reading read_calls(ReplyReader& r, const TaggedCalls& s, std::string_view opening);
Reading read_calls(ReplyReader& r, const PythonCalls& s, std::string_view opening);

}  // namespace skald
