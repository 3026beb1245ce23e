#include "convert/hf_directory.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = "config.json";

// Of Git: caches and checkouts name folders by it.
bool is_hash(const std::string& name) {
  return (name.size() == 40 || name.size() == 64) &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

bool is_hf_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

HfDirectory::HfDirectory(std::string path) : FileFolder(std::move(path)) {
  if (!has(kConfig)) refuse_no_config();
  config_ = std::make_shared<const nlohmann::json>(read_json(kConfig));
  if (!config_->is_object()) fail(Errc::kBadFile, "{}: want an object", file_path(kConfig));
}

void HfDirectory::refuse_no_config() const {
  refuse_adapter();
  const std::vector<std::string> all = files();
  const auto gguf = std::ranges::find_if(all, [](const std::string& f) { return f.ends_with(".gguf"); });
  if (gguf != all.end())
    fail(Errc::kNotFound, "{} has no {}, but {}, which is a model file of its own: give that one", path(), kConfig,
         printable(*gguf));
  if (has("params.json"))
    fail(Errc::kNotFound, "{} has params.json, its authors' form, but no {}: want the model as transformers keeps it",
         path(), kConfig);
  fail(Errc::kNotFound, "{} has no {}: not a model as Hugging Face keeps it", path(), kConfig);
}

void HfDirectory::refuse_adapter() const {
  if (!has("adapter_config.json")) return;
  fail(Errc::kUnsupported,
       "{} has adapter_config.json: a LoRA adapter, not a model; give it as an adapter (--lora) of its base model", path());
}

std::string HfDirectory::name() const {
  std::string own = folder_name();
  if (!is_hash(own)) return own;
  // The last part of the name in the configuration: "acme/Tiny-Llama".
  const auto known = config_->find("_name_or_path");
  const std::string from = known != config_->end() && known->is_string() ? known->get<std::string>() : "";
  const std::string last = fs::path(from).lexically_normal().filename().string();
  return last.empty() || is_hash(last) ? "model" : last;
}

nlohmann::json HfDirectory::read_module_json(std::string_view folder) const {
  return HfDirectory(file_path(folder)).config();
}

}  // namespace skald
