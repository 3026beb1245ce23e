#include "convert/hf_directory.h"

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

// A model in the cache of Hugging Face's hub lies in models--<owner>--<name>/snapshots/<hash>.
std::optional<std::string> name_in_cache(const fs::path& path) {
  constexpr std::string_view kModels = "models--", kDash = "--";
  const std::string whole = path.parent_path().parent_path().filename().string();
  if (path.parent_path().filename() != "snapshots" || !whole.starts_with(kModels)) return {};
  const size_t dash = whole.find(kDash, kModels.size());
  return whole.substr(dash == whole.npos ? kModels.size() : dash + kDash.size());
}

}  // namespace

bool is_hf_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && fs::exists(fs::path(path) / kConfig, ignored);
}

HfDirectory::HfDirectory(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!fs::is_directory(path_, ignored)) fail(Errc::kNotFound, "{} is not a folder", path_);
  if (!has(kConfig)) fail(Errc::kNotFound, "{} has no {}: not a model as Hugging Face keeps it", path_, kConfig);
  config_ = std::make_shared<const nlohmann::json>(read_json(kConfig));
  if (!config_->is_object()) fail(Errc::kBadFile, "{}: want an object", file_path(kConfig));
}

std::string HfDirectory::name() const {
  fs::path path = fs::absolute(path_).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return name_in_cache(path).value_or(path.filename().string());
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
  const FileBytes content = FileBytes::open(path, FileBytes::How::kMap);
  const auto size = static_cast<int64_t>(content.bytes().size());
  if (size > max_bytes) fail(Errc::kBadFile, "{}: {} bytes, want at most {}", path, size, max_bytes);
  return {reinterpret_cast<const char*>(content.bytes().data()), content.bytes().size()};
}

nlohmann::json HfDirectory::read_json(std::string_view file) const {
  const std::string text = read(file);
  return doing(file_path(file), [&] { return parse_json(with_quoted_non_numbers(text)); });
}

}  // namespace skald
