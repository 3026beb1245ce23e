#include "convert/hf_directory.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = "config.json";

bool is_plain_name(std::string_view file) {
  return !file.empty() && file != "." && file != ".." && file.find_first_of(std::string_view("/\\\0", 3)) == file.npos;
}

// Of Git: caches and checkouts name folders by it.
bool is_hash(const std::string& name) {
  return (name.size() == 40 || name.size() == 64) &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// A model in the cache of Hugging Face's hub lies in models--<owner>--<name>/snapshots/<hash>.
std::optional<std::string> name_in_cache(const fs::path& path) {
  constexpr std::string_view kModels = "models--", kDash = "--";
  const std::string whole = path.parent_path().parent_path().filename().string();
  if (path.parent_path().filename() != "snapshots" || !whole.starts_with(kModels)) return {};
  const size_t dash = whole.find(kDash, kModels.size());
  return whole.substr(dash == whole.npos ? kModels.size() : dash + kDash.size());
}

std::string_view text_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

bool is_hf_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

HfDirectory::HfDirectory(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!fs::is_directory(path_, ignored)) fail(Errc::kNotFound, "{} is not a folder", path_);
  if (!has(kConfig)) refuse_no_config();
  config_ = std::make_shared<const nlohmann::json>(read_json(kConfig));
  if (!config_->is_object()) fail(Errc::kBadFile, "{}: want an object", file_path(kConfig));
}

void HfDirectory::refuse_no_config() const {
  refuse_adapter();
  const std::vector<std::string> all = files();
  const auto gguf = std::ranges::find_if(all, [](const std::string& f) { return f.ends_with(".gguf"); });
  if (gguf != all.end())
    fail(Errc::kNotFound, "{} has no {}, but {}, which is a model file of its own: give that one", path_, kConfig,
         printable(*gguf));
  if (has("params.json"))
    fail(Errc::kNotFound, "{} has params.json, its authors' form, but no {}: want the model as transformers keeps it", path_,
         kConfig);
  fail(Errc::kNotFound, "{} has no {}: not a model as Hugging Face keeps it", path_, kConfig);
}

void HfDirectory::refuse_adapter() const {
  if (!has("adapter_config.json")) return;
  fail(Errc::kUnsupported,
       "{} has adapter_config.json: a LoRA adapter, not a model; merge it into its base model (merge_and_unload of peft "
       "does) and convert that",
       path_);
}

void HfDirectory::refuse_pointer(std::string_view file) const {
  const std::string path = file_path(file);
  refuse_pointer(path, text_of(FileBytes::open(path, FileBytes::How::kMap)));
}

void HfDirectory::refuse_pointer(const std::string& path, std::string_view content) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/spec/";
  constexpr size_t kMostBytes = 1024;  // as Git LFS has it
  if (content.size() <= kMostBytes && content.starts_with(kBegin))
    fail(Errc::kBadFile, "{} is a Git LFS pointer, not the file itself: fetch that by `git lfs pull`", path);
}

std::vector<std::string> HfDirectory::files() const {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    if (!entry.is_directory(ignored)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

std::string HfDirectory::name() const {
  fs::path path = fs::absolute(path_).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (const std::optional<std::string> name = name_in_cache(path)) return *name;
  std::string own = path.filename().string();
  if (!is_hash(own)) return own;
  // The last part of the name in the configuration: "acme/Tiny-Llama".
  const auto known = config_->find("_name_or_path");
  const std::string from = known != config_->end() && known->is_string() ? known->get<std::string>() : "";
  const std::string last = fs::path(from).lexically_normal().filename().string();
  return last.empty() || is_hash(last) ? "model" : last;
}

bool HfDirectory::has(std::string_view file) const {
  std::error_code ignored;
  return is_plain_name(file) && fs::exists(fs::path(path_) / file, ignored);
}

std::string HfDirectory::file_path(std::string_view file) const {
  if (!is_plain_name(file)) fail(Errc::kBadFile, "{}: {} is not the name of a file in it", path_, skald::quoted(file));
  return (fs::path(path_) / file).string();
}

std::string HfDirectory::read(std::string_view file, int64_t max_bytes) const {
  const std::string path = file_path(file);
  // Mapped, so that a file that is too long costs nothing.
  const FileBytes bytes = FileBytes::open(path, FileBytes::How::kMap);
  const std::string_view content = text_of(bytes);
  refuse_pointer(path, content);
  if (std::ssize(content) > max_bytes)
    fail(Errc::kBadFile, "{}: {} bytes, want at most {}", path, content.size(), max_bytes);
  return std::string(content);
}

nlohmann::json HfDirectory::read_module_json(std::string_view folder) const {
  return HfDirectory(file_path(folder)).config();
}

nlohmann::json HfDirectory::read_json(std::string_view file) const {
  const std::string text = read(file);
  return doing(file_path(file), [&] { return parse_json(with_quoted_non_numbers(text)); });
}

}  // namespace skald
