#include "hub/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "io/output_file.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "models--";
constexpr int kDeepest = 16;  // folders of a snapshot in each other

[[noreturn]] void fail_with(const char* what, const std::string& path, const std::error_code& error) {
  fail(Errc::kDevice, "cannot {} {}: {}", what, path, error.message());
}

std::string short_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// The content that a snapshot's file is; of one that is no link its own path, for lack of a sum.
std::string blob_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  const std::string name = target.filename().string();
  return !error && is_blob(name) ? name : "";
}

// The names in a folder, sorted; none where it is not there.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) out.push_back(at->path());
  std::ranges::sort(out);
  return out;
}

// A file whose content is there.
void add_file(const fs::path& top, const fs::path& path, std::vector<HubFile>& files) {
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));  // the link's target
  if (!error && fs::is_regular_file(path, error))
    files.push_back({path.lexically_relative(top).string(), size, blob_of(path)});
}

void add_files(const fs::path& top, const fs::path& folder, int depth, std::vector<HubFile>& files) {
  std::error_code error;
  for (const fs::path& path : entries(folder)) {
    if (!fs::is_symlink(path, error) && fs::is_directory(path, error)) {
      if (depth < kDeepest) add_files(top, path, depth + 1, files);
      continue;
    }
    if (path.extension() == ".gguf") add_file(top, path, files);
  }
}

}  // namespace

std::string folder_name(const HubRepo& repo) {
  return std::string(kPrefix) + (repo.user.empty() ? "" : repo.user + "--") + repo.name;
}

std::optional<HubRepo> repo_of_folder(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  HubRepo repo;
  if (const size_t mark = name.find("--"); mark != std::string_view::npos) {
    repo.user = name.substr(0, mark);
    name.remove_prefix(mark + 2);
    if (!is_repo_word(repo.user)) return std::nullopt;
  }
  repo.name = name;
  return is_repo_word(repo.name) ? std::optional(repo) : std::nullopt;
}

void make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_with("make the folder", path, error);
}

std::string HubCache::repo_folder(const HubRepo& repo) const { return folder_ + "/" + folder_name(repo); }
std::string HubCache::blob(const HubRepo& repo, std::string_view blob) const {
  return fmt::format("{}/blobs/{}", repo_folder(repo), blob);
}
std::string HubCache::incomplete(const HubRepo& repo, std::string_view blob) const {
  return this->blob(repo, blob) + ".incomplete";
}
std::string HubCache::lock(const HubRepo& repo, std::string_view blob) const {
  return fmt::format("{}/.locks/{}/{}.lock", folder_, folder_name(repo), blob);
}
std::string HubCache::snapshot(const HubRepo& repo, std::string_view commit) const {
  return fmt::format("{}/snapshots/{}", repo_folder(repo), commit);
}
std::string HubCache::record(const HubRepo& repo, std::string_view commit) const {
  return fmt::format("{}/.skald/{}", repo_folder(repo), commit);
}

std::vector<HubRepo> HubCache::repos() const {
  std::vector<HubRepo> out;
  std::error_code ignored;
  for (const fs::path& path : entries(folder_))
    if (auto repo = repo_of_folder(path.filename().string()); repo && fs::is_directory(path, ignored)) out.push_back(*repo);
  return out;
}

std::vector<std::string> HubCache::commits(const HubRepo& repo) const {
  std::vector<std::string> out;
  for (const fs::path& path : entries(repo_folder(repo) + "/snapshots"))
    if (is_commit(path.filename().string())) out.push_back(path.filename().string());
  return out;
}

std::optional<std::string> HubCache::ref(const HubRepo& repo, const std::string& revision) const {
  if (is_commit(revision)) return revision;
  std::string commit = short_text(repo_folder(repo) + "/refs/" + revision);
  return is_commit(commit) ? std::optional(std::move(commit)) : std::nullopt;
}

void HubCache::set_ref(const HubRepo& repo, const std::string& revision, const std::string& commit) const {
  if (is_commit(revision) || ref(repo, revision) == commit) return;
  const std::string path = repo_folder(repo) + "/refs/" + revision;
  make_folders(fs::path(path).parent_path().string());
  OutputFile file(path);
  file.write(std::as_bytes(std::span(commit)));
  file.commit();
}

std::vector<std::pair<std::string, std::string>> HubCache::refs(const HubRepo& repo) const {
  std::vector<std::pair<std::string, std::string>> out;
  const fs::path top = repo_folder(repo) + "/refs";
  std::error_code error;
  for (fs::recursive_directory_iterator at(top, error), end; !error && at != end; at.increment(error)) {
    if (at.depth() > kDeepest) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_regular_file(ignored)) out.emplace_back(at->path().lexically_relative(top).string(), short_text(at->path()));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<HubFile> HubCache::files(const HubRepo& repo, const std::string& commit) const {
  std::vector<HubFile> files;
  const fs::path top = snapshot(repo, commit);
  add_files(top, top, 0, files);
  return files;
}

std::vector<HubFile> HubCache::top_files(const HubRepo& repo, const std::string& commit) const {
  std::vector<HubFile> files;
  const fs::path top = snapshot(repo, commit);
  for (const fs::path& path : entries(top)) add_file(top, path, files);
  return files;
}

void HubCache::link(const HubRepo& repo, const std::string& commit, const HubFile& file) const {
  const fs::path path = fs::path(snapshot(repo, commit)) / file.path, folder = path.parent_path();
  const fs::path target = fs::path(blob(repo, file.blob)).lexically_relative(folder);
  std::error_code error;
  if (fs::read_symlink(path, error) == target) return;
  make_folders(folder.string());
  // Renamed into place: a reader finds the old file or the new one.
  const fs::path temporary = fmt::format("{}.tmp-{}", path.string(), ::getpid());
  fs::remove(temporary, error);
  fs::create_symlink(target, temporary, error);
  if (error) fail_with("make the link", temporary.string(), error);
  fs::rename(temporary, path, error);
  if (error) fail_with("rename a link to", path.string(), error);
}

}  // namespace skald
