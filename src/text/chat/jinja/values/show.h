// How values look as texts: Python's str() and repr(), and HTML's escapes.
#pragma once

#include <string>
#include <string_view>

#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// A text that is trusted as a whole or not: as long as all texts in it are trusted.
struct Shown {
  std::string text;
  bool trusted = true;
};

/// repr(), appended.
void append_repr(Shown& out, const Value& value, Budget& budget);
Shown repr(const Value& value, Budget& budget);

/// str(): a text stays as it is.
Value to_text(Heap& heap, const Value& value);
/// str() appended, with the trust of each byte.
void append_text(MarkedText& out, const Value& value, Heap& heap);

/// &, <, >, " and ' of a text as entities, escaped texts as they are: markupsafe.escape().
Value escaped(Heap& heap, const Value& value);
std::string escaped(std::string_view text);

/// Makes a text of ours, or one that is as trusted as `from`.
inline Value make_text(Heap& heap, Shown text) { return make_text(heap, std::move(text.text), text.trusted); }
inline bool is_trusted(const Value& value) { return !value.is_text() || value.as<Text>().marked().all_trusted(); }

}  // namespace skald::jinja
