// What a GGUF file holds, for people and for programs; never fails on odd but well-formed content.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/gguf.h"

namespace skald {

/// Metadata (long arrays abbreviated), tensors, and totals per type as lines of text. Safe to print on a terminal: control
/// characters of the file are escaped.
std::string inspect_table(const Gguf& file);

/// {"version", "file_bytes", "parameters", "metadata", "tensors": [{"name", "type", "shape", "bytes"}], "types"}; `shape` is
/// row-major. Arrays of more than 64 items become {"length": n, "first": [8 items]}, infinities and NaN the strings "inf",
/// "-inf" and "nan", and bytes that are not UTF-8 U+FFFD.
nlohmann::json inspect_json(const Gguf& file);

/// Either of them as text, of a file. Throws Error naming the file.
std::string inspect_file(const std::string& path, bool json);

}  // namespace skald
