// The content of a model file, for people and for programs; never fails on odd but well-formed content.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace skald {

class Conversion;
class Gguf;
class Meta;

/// The listed content of a file, or of a Hugging Face folder as the file that it would become. The metadata is not owned.
struct ModelContents {
  struct Item {
    std::string name;
    std::string_view type;
    Shape shape;
    int64_t bytes;
  };

  ModelContents(const Gguf& file);              // NOLINT: its content is the same
  ModelContents(const Conversion& conversion);  // NOLINT

  std::string kind;      // "GGUF v3"
  uint32_t version = 0;  // of the file format; 0: a folder
  int64_t bytes = 0;     // of the file; of a folder: of its tensors
  const Meta* meta;
  std::vector<Item> tensors;
};

/// Metadata (long arrays abbreviated), tensors, and totals per type as lines of text. Safe to print on a terminal: control
/// characters of the file are escaped.
std::string inspect_table(const ModelContents& model);

/// {"version", "file_bytes", "parameters", "metadata", "tensors": [{"name", "type", "shape", "bytes"}], "types"}; `shape` is
/// row-major. Arrays of more than 64 items become {"length": n, "first": [8 items]}, infinities and NaN the strings "inf",
/// "-inf" and "nan", and bytes that are not UTF-8 U+FFFD.
nlohmann::json inspect_json(const ModelContents& model);

/// Either of them as text, of a file or a Hugging Face folder. Throws Error naming it.
std::string inspect_file(const std::string& path, bool json);

}  // namespace skald
