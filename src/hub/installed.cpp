#include "hub/installed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "hub/adapter_folder.h"
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

// The GGUF files, and those of an adapter's folder, which a model in its place hides.
std::vector<HubFile> files_there(const HubCache& cache, const HubRepo& repo, const std::string& commit, bool is_model) {
  std::vector<HubFile> out = cache.files(repo, commit);
  if (is_model) return out;
  for (HubFile& file : cache.top_files(repo, commit))
    if (is_adapter_file(file.path)) out.push_back(std::move(file));
  return out;
}

// Of an adapter's folder the card alone does not count.
bool is_own(const HubModel& model, const std::vector<HubFile>& recorded) {
  if (!model.is_folder) return overlap(model, recorded);
  return std::ranges::find(recorded, kAdapterWeights, &HubFile::path) != recorded.end();
}

// Models of a snapshot: those whose files are there, then begun downloads.
std::vector<InstalledModel> models_in(const HubCache& cache, const HubRepo& repo, const std::string& commit) {
  const auto folder = folder_model(cache, repo, commit);
  const std::vector<HubFile> there = files_there(cache, repo, commit, folder.has_value());
  std::vector<HubFile> recorded = read_record(cache, repo, commit);
  if (folder) std::erase_if(recorded, [](const HubFile& f) { return is_adapter_file(f.path); });
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
                   .ours = is_own(m, recorded),
                   .complete = m.missing == 0});
  }
  for (const HubModel& m : wanted)
    out.push_back({.name = name_of(repo, m, wanted), .model = m, .commit = commit, .ours = true, .complete = false});
  if (folder)
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

[[noreturn]] void fail_of_other_kind(const HubName& name, const HubModel& model) {
  if (!model.adapter) fail(Errc::kBadFile, "{}: it is a model, and not an adapter (LoRA)", name.text());
  fail(Errc::kBadFile, "{}: it is {}, and not a model; use it by -m {} --lora {}", name.text(), description(*model.adapter),
       base_word(*model.adapter), name.text());
}

// A name without a tag means one of the kind that is wanted.
std::string path_in(const HubCache& cache, const HubName& name, const std::string& commit, std::vector<HubModel> models,
                    const MemoryRule& memory, Wanted wanted) {
  const auto other = [&](const HubModel& m) { return !is_wanted(m, wanted); };
  if (name.tag.empty() && name.file.empty()) {
    if (std::ranges::all_of(models, other)) fail_of_other_kind(name, models.front());
    std::erase_if(models, other);
  }
  const auto path = [&](const HubModel& m) { return path_of(cache, name.repo, commit, m); };
  const HubModel& chosen = choose_model(
      models, name, [&](const HubModel& m) { return memory.fits(m.bytes(), [&] { return beginning_of(path(m)); }); });
  if (other(chosen)) fail_of_other_kind(name, chosen);
  return path(chosen);
}

const char* noun(Wanted wanted) { return wanted == Wanted::kAdapter ? "adapter" : "model"; }

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
      if (m.complete && (m.model.adapter || !m.model.is_folder)) m.model.adapter = adapter_facts(m.path);
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

bool is_wanted(const HubModel& model, Wanted wanted) {
  return wanted == Wanted::kEither || (wanted == Wanted::kAdapter) == model.adapter.has_value();
}

HubName installed_name(const HubCache& cache, std::string_view text, Wanted wanted) {
  if (auto name = find_hub_name(text)) return *name;
  const auto loose = loose_name(text);
  if (!loose)
    fail(Errc::kNotFound, "{}: there is no such file, and it is no name of {}", skald::quoted(text),
         wanted == Wanted::kAdapter ? "an adapter" : "a model");
  HubName out;
  for (const HubRepo& repo : cache.repos()) {
    if (repo.name != loose->repo || installed_models(cache, repo).empty()) continue;
    if (!out.repo.name.empty())
      fail(Errc::kNotFound, "{}: both {} and {} are there; name one", skald::quoted(text), out.repo.id(), repo.id());
    out = {.repo = repo, .tag = loose->tag};
  }
  if (out.repo.name.empty())
    fail(Errc::kNotFound, "{}: there is no such file, and no such {} is there", skald::quoted(text), noun(wanted));
  return out;
}

std::string find_installed(const HubCache& cache, std::string_view text, const MemoryRule& memory, Wanted wanted) {
  const HubName name = installed_name(cache, text, wanted);
  const std::vector<InstalledModel> models = installed_models(cache, name.repo);
  std::optional<Error> first;
  for (const std::string& commit : commits_in_order(cache, name.repo)) {
    const std::vector<HubModel> complete = complete_models(models, commit);
    if (complete.empty()) continue;
    try {
      return path_in(cache, name, commit, complete, memory, wanted);
    } catch (const Error& e) {
      if (!first) first = e;
    }
  }
  if (first) throw *first;
  if (!models.empty()) fail(Errc::kNotFound, "{}: it was begun, and is not whole: pull it again", skald::quoted(text));
  fail(Errc::kNotFound, "{}: there is no such file, and no such {} is there", skald::quoted(text), noun(wanted));
}

std::string find_installed(const HubCache& cache, const HubName& name, const std::string& revision, const MemoryRule& memory,
                           Wanted wanted) {
  const auto commit = cache.ref(name.repo, revision);
  const std::vector<HubModel> complete =
      commit ? complete_models(installed_models(cache, name.repo), *commit) : std::vector<HubModel>();
  if (complete.empty()) fail(Errc::kNotFound, "{}: it is not in {}", name.text(), cache.folder());
  return path_in(cache, name, *commit, complete, memory, wanted);
}

}  // namespace skald
