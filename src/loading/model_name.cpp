#include "loading/model_name.h"

#include <filesystem>
#include <regex>
#include <system_error>

namespace skald {
namespace {

namespace fs = std::filesystem;

// "models--user--repo" -> "repo"
std::string repository_of(const std::string& folder) {
  const size_t at = folder.rfind("--");
  return at == std::string::npos ? folder : folder.substr(at + 2);
}

}  // namespace

std::string name_of_stem(const std::string& stem) {
  static const std::regex kShard(R"((.+)-([0-9]{5})-of-[0-9]{5})");
  std::smatch parts;
  if (!std::regex_match(stem, parts, kShard)) return stem;
  return parts[2] == "00001" ? parts[1].str() : "";
}

std::string name_of_path(const std::string& path) {
  std::error_code error;
  const fs::path at = fs::absolute(path, error).lexically_normal();
  if (path.empty() || error) return {};
  if (!fs::is_directory(at, error)) return at.extension() == ".gguf" ? name_of_stem(at.stem()) : at.filename().string();
  const fs::path folder = at.has_filename() ? at : at.parent_path();
  if (folder.parent_path().filename() == "snapshots")
    return repository_of(folder.parent_path().parent_path().filename().string());
  return folder.filename().string();
}

}  // namespace skald
