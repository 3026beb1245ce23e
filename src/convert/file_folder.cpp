#include "convert/file_folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

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

std::string_view text_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void refuse_pointer_text(const std::string& path, std::string_view content) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/spec/";
  constexpr size_t kMostBytes = 1024;  // as Git LFS has it
  if (content.size() <= kMostBytes && content.starts_with(kBegin))
    fail(Errc::kBadFile, "{} is a Git LFS pointer, not the file itself: fetch that by `git lfs pull`", path);
}

}  // namespace

FileFolder::FileFolder(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!fs::is_directory(path_, ignored)) fail(Errc::kNotFound, "{} is not a folder", path_);
}

std::string FileFolder::folder_name() const {
  fs::path path = fs::absolute(path_).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (const std::optional<std::string> name = name_in_cache(path)) return *name;
  return path.filename().string();
}

void FileFolder::refuse_pointer(std::string_view file) const {
  const std::string path = file_path(file);
  refuse_pointer_text(path, text_of(FileBytes::open(path, FileBytes::How::kMap)));
}

std::vector<std::string> FileFolder::files() const {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    if (!entry.is_directory(ignored)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

bool FileFolder::has(std::string_view file) const {
  std::error_code ignored;
  return is_plain_name(file) && fs::exists(fs::path(path_) / file, ignored);
}

std::string FileFolder::file_path(std::string_view file) const {
  if (!is_plain_name(file)) fail(Errc::kBadFile, "{}: {} is not the name of a file in it", path_, skald::quoted(file));
  return (fs::path(path_) / file).string();
}

std::string FileFolder::read(std::string_view file, int64_t max_bytes) const {
  const std::string path = file_path(file);
  // Mapped, so that a file that is too long costs nothing.
  const FileBytes bytes = FileBytes::open(path, FileBytes::How::kMap);
  const std::string_view content = text_of(bytes);
  refuse_pointer_text(path, content);
  if (std::ssize(content) > max_bytes)
    fail(Errc::kBadFile, "{}: {} bytes, want at most {}", path, content.size(), max_bytes);
  return std::string(content);
}

nlohmann::json FileFolder::read_json(std::string_view file) const {
  const std::string text = read(file);
  return doing(file_path(file), [&] { return parse_json(with_quoted_non_numbers(text)); });
}

}  // namespace skald
