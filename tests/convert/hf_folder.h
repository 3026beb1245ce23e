// HfFolder: a small Hugging Face folder for a test, removed with it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "convert/hf_directory.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temp_dir.h"

namespace skald::test {

class HfFolder {
 public:
  HfFolder(const HfFolder&) = delete;
  HfFolder& operator=(const HfFolder&) = delete;
  explicit HfFolder(const nlohmann::json& config) { write("config.json", config.dump()); }

  void write(const std::string& name, const std::string& content) const { dir_.write(name, content); }
  void checkpoint(const SafetensorsBytes& file) const { write("model.safetensors", file.str()); }
  std::string path() const { return dir_.path(""); }
  HfDirectory open() const { return HfDirectory(path()); }

 private:
  TempDir dir_;
};

}  // namespace skald::test
