// GGUF's metadata values in bytes: reading from untrusted ones, and writing.
#pragma once

#include <string>
#include <string_view>

#include "base/meta.h"
#include "io/byte_reader.h"

namespace skald::gguf {

/// Reads a value with its type number in front. Throws kBadFile for an unknown type, a bool other than 0 and 1, a length
/// beyond the file's end, and arrays nested deeper than kMaxArrayDepth.
MetaValue read_value(ByteReader& in);

/// The opposite; throws kBadInput for arrays that read_value would refuse.
void write_value(std::string& out, const MetaValue& value);

/// A length and the text.
void write_string(std::string& out, std::string_view text);

/// A number as it lies in memory, which is little-endian (see byte_reader.h).
template <class T>
void write_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace skald::gguf
