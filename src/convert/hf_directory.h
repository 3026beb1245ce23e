// HfDirectory: a model as Hugging Face keeps it: a folder with config.json, checkpoints and a tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skald {

/// Whether a path is such a folder: one that holds config.json.
bool is_hf_directory(const std::string& path);

class HfDirectory {
 public:
  /// Reads config.json. Throws kNotFound for what is no folder or has none, kBadFile for one that is no JSON object.
  explicit HfDirectory(std::string path);

  const std::string& path() const { return path_; }
  /// The folder's own name: "Llama-3.2-1B".
  std::string name() const;
  const nlohmann::json& config() const { return *config_; }

  bool has(std::string_view file) const;
  /// Where a file of this folder is. Throws kBadFile for a name that would lead out of it.
  std::string file_path(std::string_view file) const;
  /// The file's bytes. Throws kNotFound when it is not there, kBadFile when it is longer than `max_bytes`.
  std::string read(std::string_view file, int64_t max_bytes = kMaxBytes) const;
  /// Throws what read() does, and kBadFile for what is not JSON; both name the file.
  nlohmann::json read_json(std::string_view file) const;

  static constexpr int64_t kMaxBytes = int64_t{1} << 29;  // well above the largest tokenizers and indices

 private:
  std::string path_;
  std::shared_ptr<const nlohmann::json> config_;
};

}  // namespace skald
