#include "hub/installed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "hub/folder_model.h"
#include "hub/record.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

std::string beginning_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<size_t>(kBeginning), '\0');
  file.read(text.data(), kBeginning);
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// The commit of "main" first, then the newest.
std::vector<std::string> commits_in_order(const HubCache& cache, const HubRepo& repo) {
  std::vector<std::string> commits = cache.commits(repo);
  const auto main = cache.ref(repo, "main");
  const auto changed = [&](const std::string& commit) {
    std::error_code ignored;
    return fs::last_write_time(cache.snapshot(repo, commit), ignored);
  };
  std::ranges::stable_sort(commits, [&](const std::string& a, const std::string& b) {
    if ((a == main) != (b == main)) return a == main;
    return changed(a) > changed(b);
  });
  return commits;
}

bool overlap(const HubModel& model, const std::vector<HubFile>& files) {
  return std::ranges::any_of(files, [&](const HubFile& f) { return model.has(f.path); });
}

// Models of a snapshot: those whose files are there, then begun downloads.
std::vector<InstalledModel> models_in(const HubCache& cache, const HubRepo& repo, const std::string& commit) {
  const std::vector<HubFile> there = cache.files(repo, commit), recorded = read_record(cache, repo, commit);
  std::vector<HubFile> begun = recorded;
  std::erase_if(begun, [&](const HubFile& f) { return std::ranges::find(there, f.path, &HubFile::path) != there.end(); });
  const std::vector<HubModel> all = models_of(there);
  std::vector<HubModel> wanted = models_of(recorded);  // those of them that were begun
  std::erase_if(wanted, [&](const HubModel& m) { return !overlap(m, begun); });
  std::vector<InstalledModel> out;
  for (const HubModel& m : all) {
    // A begun download is told below, with all its files.
    if (std::ranges::any_of(wanted, [&](const HubModel& w) { return overlap(w, m.files); })) continue;
    out.push_back({.name = name_of(repo, m, all),
                   .model = m,
                   .commit = commit,
                   .ours = overlap(m, recorded),
                   .complete = m.missing == 0});
  }
  for (const HubModel& m : wanted)
    out.push_back({.name = name_of(repo, m, wanted), .model = m, .commit = commit, .ours = true, .complete = false});
  if (auto folder = folder_model(cache, repo, commit))
    out.push_back(
        {.name = {.repo = repo, .tag = folder->tag}, .model = *folder, .commit = commit, .complete = folder->missing == 0});
  return out;
}

std::vector<HubModel> complete_models(const std::vector<InstalledModel>& models, const std::string& commit) {
  std::vector<HubModel> out;
  for (const InstalledModel& m : models)
    if (m.commit == commit && m.complete) out.push_back(m.model);
  return out;
}

std::string path_in(const HubCache& cache, const HubName& name, const std::string& commit,
                    const std::vector<HubModel>& models, const MemoryRule& memory) {
  const auto path = [&](const HubModel& m) { return path_of(cache, name.repo, commit, m); };
  return path(choose_model(
      models, name, [&](const HubModel& m) { return memory.fits(m.bytes(), [&] { return beginning_of(path(m)); }); }));
}

// Of a name that may lack its user: "REPO:TAG".
struct LooseName {
  std::string user, repo, tag;
};

std::optional<LooseName> loose_name(std::string_view text) {
  const size_t colon = text.find(':');
  LooseName out{.user = {}, .repo = std::string(text.substr(0, colon)), .tag = {}};
  if (colon != std::string_view::npos) {
    const auto name = find_hub_name("any/any" + std::string(text.substr(colon)));
    if (!name) return std::nullopt;
    out.tag = name->tag;
  }
  return is_repo_word(out.repo) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::vector<InstalledModel> installed_models(const HubCache& cache, const HubRepo& repo) {
  std::vector<InstalledModel> out;
  const auto refs = cache.refs(repo);
  for (const std::string& commit : commits_in_order(cache, repo))
    for (InstalledModel& m : models_in(cache, repo, commit)) {
      if (m.model.is_part) continue;
      m.path = path_of(cache, repo, commit, m.model);
      for (const auto& [name, target] : refs)
        if (target == commit) m.refs.push_back(name);
      out.push_back(std::move(m));
    }
  return out;
}

std::vector<InstalledModel> installed_models(const HubCache& cache) {
  std::vector<InstalledModel> out;
  for (const HubRepo& repo : cache.repos()) std::ranges::move(installed_models(cache, repo), std::back_inserter(out));
  return out;
}

HubName installed_name(const HubCache& cache, std::string_view text) {
  if (auto name = find_hub_name(text)) return *name;
  const auto loose = loose_name(text);
  if (!loose) fail(Errc::kNotFound, "{}: there is no such file, and it is no name of a model", skald::quoted(text));
  HubName out;
  for (const HubRepo& repo : cache.repos()) {
    if (repo.name != loose->repo || installed_models(cache, repo).empty()) continue;
    if (!out.repo.name.empty())
      fail(Errc::kNotFound, "{}: both {} and {} are there; name one", skald::quoted(text), out.repo.id(), repo.id());
    out = {.repo = repo, .tag = loose->tag};
  }
  if (out.repo.name.empty())
    fail(Errc::kNotFound, "{}: there is no such file, and no such model is there", skald::quoted(text));
  return out;
}

std::string find_installed(const HubCache& cache, std::string_view text, const MemoryRule& memory) {
  const HubName name = installed_name(cache, text);
  const std::vector<InstalledModel> models = installed_models(cache, name.repo);
  std::optional<Error> first;
  for (const std::string& commit : commits_in_order(cache, name.repo)) {
    const std::vector<HubModel> complete = complete_models(models, commit);
    if (complete.empty()) continue;
    try {
      return path_in(cache, name, commit, complete, memory);
    } catch (const Error& e) {
      if (!first) first = e;
    }
  }
  if (first) throw *first;
  fail(Errc::kNotFound, "{}: {}", skald::quoted(text),
       models.empty() ? "there is no such file, and no such model is there"
                      : "it was begun, and is not whole: pull it again");
}

std::string find_installed(const HubCache& cache, const HubName& name, const std::string& revision,
                           const MemoryRule& memory) {
  const auto commit = cache.ref(name.repo, revision);
  const std::vector<HubModel> complete =
      commit ? complete_models(installed_models(cache, name.repo), *commit) : std::vector<HubModel>();
  if (complete.empty()) fail(Errc::kNotFound, "{}: it is not in {}", name.text(), cache.folder());
  return path_in(cache, name, *commit, complete, memory);
}

}  // namespace skald
