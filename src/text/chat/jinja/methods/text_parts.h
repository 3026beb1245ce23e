// The parts of a text that Python's methods cut out, by bytes, so that each byte keeps its writer.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

using Part = std::pair<size_t, size_t>;  // [begin, end) in bytes

/// Returns the part that strip() keeps: `chars` to take off, or blanks where `chars` is null.
Part stripped(std::string_view text, const std::string* chars, bool left, bool right);

/// split() and rsplit(): at blanks where `separator` is null. At most `most` cuts; -1: all.
std::vector<Part> split(std::string_view text, const std::string* separator, int64_t most, bool from_right, Budget& budget);

std::vector<Part> split_lines(std::string_view text, bool keep_ends, Budget& budget);

Value part_of(Heap& heap, const Text& text, Part part);
Value parts_of(Heap& heap, const Text& text, const std::vector<Part>& parts);

/// str.replace(): the first `most` places; -1: all.
Value replaced(Heap& heap, const Text& text, const Text& from, const Text& to, int64_t most);

/// separator.join(items), which are made texts by `to_text` or must be texts.
Value joined(Heap& heap, const Text& separator, const std::vector<Value>& items, bool make_texts);

}  // namespace skald::jinja
