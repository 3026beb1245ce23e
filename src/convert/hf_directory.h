// HfDirectory: a model as Hugging Face keeps it: a folder with config.json, checkpoints and a tokenizer.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "convert/file_folder.h"

namespace skald {

/// Returns whether a path is a folder, which can only be such a model: HfDirectory names the file that it lacks.
bool is_hf_directory(const std::string& path);

class HfDirectory : public FileFolder {
 public:
  /// Reads config.json. Throws kNotFound for a path that is no folder or has none, kBadFile for one that is no JSON object.
  explicit HfDirectory(std::string path);

  /// Returns the folder's own name: "Llama-3.2-1B".
  std::string name() const;
  const nlohmann::json& config() const { return *config_; }

  /// Throws kUnsupported where the folder is a LoRA adapter, which is no model of its own.
  void refuse_adapter() const;
  /// As read_json() for the config.json of a folder in this one.
  nlohmann::json read_module_json(std::string_view folder) const;

 private:
  void refuse_no_config() const;

  std::shared_ptr<const nlohmann::json> config_;
};

}  // namespace skald
