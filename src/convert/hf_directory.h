// HfDirectory: a model as Hugging Face keeps it: a folder with config.json, checkpoints and a tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Returns whether a path is a folder, which can only be such a model: HfDirectory names the file that it lacks.
bool is_hf_directory(const std::string& path);

class HfDirectory {
 public:
  /// Reads config.json. Throws kNotFound for a path that is no folder or has none, kBadFile for one that is no JSON object.
  explicit HfDirectory(std::string path);

  const std::string& path() const { return path_; }
  /// Returns the folder's own name: "Llama-3.2-1B".
  std::string name() const;
  const nlohmann::json& config() const { return *config_; }

  bool has(std::string_view file) const;
  /// Returns the names of its files, sorted.
  std::vector<std::string> files() const;
  /// Throws kUnsupported where the folder is a LoRA adapter, which is no model of its own.
  void refuse_adapter() const;
  /// Throws kBadFile where a file is Git's pointer to a large one that was not fetched.
  void refuse_pointer(std::string_view file) const;
  /// Returns where a file of this folder is. Throws kBadFile for a name that would lead out of it.
  std::string file_path(std::string_view file) const;
  /// Reads the file's bytes. Throws kNotFound when it is not there, kBadFile when it is longer than `max_bytes`.
  std::string read(std::string_view file, int64_t max_bytes = kMaxBytes) const;
  /// Throws as read(), and kBadFile for a file that is not JSON; both name the file.
  nlohmann::json read_json(std::string_view file) const;
  /// Likewise for the config.json of a folder in this one.
  nlohmann::json read_module_json(std::string_view folder) const;

  static constexpr int64_t kMaxBytes = int64_t{1} << 29;  // well above the largest tokenizers and indices

 private:
  void refuse_no_config() const;
  static void refuse_pointer(const std::string& path, std::string_view content);

  std::string path_;
  std::shared_ptr<const nlohmann::json> config_;
};

}  // namespace skald
