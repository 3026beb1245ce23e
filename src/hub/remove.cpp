#include "hub/remove.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "hub/file_lock.h"
#include "hub/quant_tag.h"
#include "hub/record.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

bool is_meant(const InstalledModel& m, const HubName& name) {
  if (!name.file.empty()) return m.model.has(name.file);
  return name.tag.empty() || is_same_tag(m.model.tag, name.tag);
}

// Contents that the repository's snapshots link to; links of `but`, as "COMMIT/PATH", do not count.
std::set<std::string> linked_blobs(const HubCache& cache, const HubRepo& repo, const std::set<std::string>& but = {}) {
  std::set<std::string> out;
  std::error_code error;
  const fs::path top = cache.repo_folder(repo) + "/snapshots";
  for (fs::recursive_directory_iterator at(top, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_symlink(ignored) && !but.contains(at->path().lexically_relative(top).string()))
      out.insert(fs::read_symlink(at->path(), ignored).filename().string());
  }
  return out;
}

int64_t bytes_at(const std::string& path) {
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  return error ? 0 : size;
}

// Of contents that only these models link to.
int64_t bytes_of(const HubCache& cache, const HubRepo& repo, const std::vector<InstalledModel>& models) {
  std::set<std::string> links, counted;
  for (const InstalledModel& m : models)
    for (const HubFile& file : m.model.files) links.insert(m.commit + "/" + file.path);
  const std::set<std::string> kept = linked_blobs(cache, repo, links);
  int64_t sum = 0;
  for (const InstalledModel& m : models)
    for (const HubFile& file : m.model.files)
      if (!kept.contains(file.blob) && counted.insert(file.blob).second)
        sum += bytes_at(cache.blob(repo, file.blob)) + bytes_at(cache.incomplete(repo, file.blob));
  return sum;
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) fail(Errc::kDevice, "cannot remove {}: {}", path.string(), error.message());
}

// The folder and those above it, up to `top` itself, as long as they are empty.
void remove_empty_folders(fs::path folder, const fs::path& top) {
  std::error_code error;
  for (; folder.string().starts_with(top.string()) && fs::is_empty(folder, error) && !error; folder = folder.parent_path()) {
    fs::remove(folder, error);
    if (folder == top || error) return;
  }
}

// References to commits without a snapshot would make other programs stumble.
void remove_stale_refs(const HubCache& cache, const HubRepo& repo) {
  const fs::path top = cache.repo_folder(repo) + "/refs";
  for (const auto& [name, commit] : cache.refs(repo)) {
    std::error_code ignored;
    if (!is_commit(commit) || fs::exists(cache.snapshot(repo, commit), ignored)) continue;
    remove_file(top / name);
    remove_empty_folders((top / name).parent_path(), top);
  }
}

// The holder of the lock may be about to link to it.
void remove_blob(const HubCache& cache, const HubRepo& repo, const std::string& blob) {
  if (!is_blob(blob) || FileLock::is_held(cache.lock(repo, blob))) return;
  const FileLock lock(cache.lock(repo, blob), {});
  if (linked_blobs(cache, repo).contains(blob)) return;
  remove_file(cache.blob(repo, blob));
  remove_file(cache.incomplete(repo, blob));
  std::error_code ignored;
  fs::remove(cache.lock(repo, blob), ignored);
}

void remove_links(const HubCache& cache, const HubRepo& repo, const InstalledModel& m) {
  const fs::path top = cache.snapshot(repo, m.commit);
  for (const HubFile& file : m.model.files) {
    remove_file(top / file.path);
    remove_empty_folders((top / file.path).parent_path(), top);
  }
  take_from_record(cache, repo, m.commit, m.model.files);
}

// Where no snapshot is left, nothing is.
void remove_empty_repo(const HubCache& cache, const HubRepo& repo) {
  const fs::path folder = cache.repo_folder(repo);
  for (const char* part : {"snapshots", "refs", "blobs", ".skald"}) remove_empty_folders(folder / part, folder / part);
  std::error_code ignored;
  if (fs::is_empty(folder, ignored)) fs::remove(folder, ignored);
  fs::remove(fs::path(cache.folder()) / ".locks" / folder_name(repo), ignored);
}

// Another program may have got the card of an adapter, and keeps it.
void leave_files_of_others(const HubCache& cache, InstalledModel& m) {
  if (!m.model.is_folder || !m.ours) return;
  const std::vector<HubFile> own = read_record(cache, m.name.repo, m.commit);
  std::erase_if(m.model.files,
                [&](const HubFile& f) { return std::ranges::find(own, f.path, &HubFile::path) == own.end(); });
}

}  // namespace

Removal plan_removal(const HubCache& cache, std::string_view text) {
  const HubName name = installed_name(cache, text);
  Removal out;
  for (InstalledModel& m : installed_models(cache, name.repo)) {
    if (!is_meant(m, name)) continue;
    leave_files_of_others(cache, m);
    (m.ours ? out.models : out.left).push_back(std::move(m));
  }
  if (out.models.empty() && out.left.empty()) fail(Errc::kNotFound, "{}: no such model is there", name.text());
  out.bytes = bytes_of(cache, name.repo, out.models);
  return out;
}

void remove(const HubCache& cache, const Removal& removal) {
  for (const InstalledModel& m : removal.models) {
    const HubRepo& repo = m.name.repo;
    remove_links(cache, repo, m);
    for (const HubFile& file : m.model.files) remove_blob(cache, repo, file.blob);
  }
  for (const InstalledModel& m : removal.models) {
    remove_stale_refs(cache, m.name.repo);
    remove_empty_repo(cache, m.name.repo);
  }
}

}  // namespace skald
