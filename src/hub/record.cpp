#include "hub/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "hub/cache.h"
#include "io/output_file.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

// "BLOB SIZE PATH"; a line of any other form is passed over.
bool read_line(const std::string& line, HubFile& file) {
  const size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == std::string::npos || second == std::string::npos) return false;
  file.blob = line.substr(0, first);
  const auto [end, error] = std::from_chars(line.data() + first + 1, line.data() + second, file.size);
  if (!is_blob(file.blob) || error != std::errc() || end != line.data() + second || file.size < 0) return false;
  file.path = line.substr(second + 1);
  try {
    check_hub_path(file.path);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool has(const std::vector<HubFile>& files, const std::string& path) {
  return std::ranges::find(files, path, &HubFile::path) != files.end();
}

void write_record(const HubCache& cache, const HubRepo& repo, const std::string& commit, const std::vector<HubFile>& files) {
  const std::string path = cache.record(repo, commit);
  if (files.empty()) {
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove(fs::path(path).parent_path(), ignored);  // where it is empty
    return;
  }
  std::string text;
  for (const HubFile& file : files) text += fmt::format("{} {} {}\n", file.blob, file.size, file.path);
  make_folders(fs::path(path).parent_path().string());
  OutputFile out(path);
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace

std::vector<HubFile> read_record(const HubCache& cache, const HubRepo& repo, const std::string& commit) {
  std::vector<HubFile> files;
  std::ifstream in(cache.record(repo, commit), std::ios::binary);
  HubFile file;
  for (std::string line; std::getline(in, line);)
    if (read_line(line, file) && !has(files, file.path)) files.push_back(file);
  return files;
}

void add_to_record(const HubCache& cache, const HubRepo& repo, const std::string& commit,
                   const std::vector<HubFile>& files) {
  std::vector<HubFile> all = read_record(cache, repo, commit);
  const size_t before = all.size();
  for (const HubFile& file : files)
    if (!has(all, file.path)) all.push_back(file);
  if (all.size() != before) write_record(cache, repo, commit, all);
}

void take_from_record(const HubCache& cache, const HubRepo& repo, const std::string& commit,
                      const std::vector<HubFile>& files) {
  std::vector<HubFile> all = read_record(cache, repo, commit);
  std::erase_if(all, [&](const HubFile& file) { return has(files, file.path); });
  write_record(cache, repo, commit, all);
}

std::vector<std::string> recorded_commits(const HubCache& cache, const HubRepo& repo) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(cache.repo_folder(repo) + "/.skald", error), end; !error && at != end; at.increment(error))
    if (is_commit(at->path().filename().string())) out.push_back(at->path().filename().string());
  std::ranges::sort(out);
  return out;
}

}  // namespace skald
