#include "hub/hub_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/lowercase.h"
#include "base/size_text.h"
#include "hub/adapter_folder.h"
#include "hub/quant_tag.h"
#include "io/gguf_split.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kUsualTag = "Q4_K_M";
constexpr int64_t kMostShards = 10000;
constexpr size_t kMostNamed = 24;  // models in a message

bool is_part(std::string_view path) {
  const std::string name = lowercase(path.substr(path.rfind('/') + 1));
  return name.find("mmproj") != std::string::npos || name.find("imatrix") != std::string::npos;
}

// The name without its shard's number, or all of it.
std::string whole_name(std::string_view path) {
  const auto shard = gguf::parse_shard_name(path);
  return shard ? shard->prefix + ".gguf" : std::string(path);
}

HubModel model_of(std::vector<HubFile> files) {
  HubModel model{.files = std::move(files)};
  model.tag = quant_tag(whole_name(model.path()));
  model.is_part = is_part(model.path());
  return model;
}

// The key of shards that belong together: their name without the number, and the count.
using ShardKey = std::pair<std::string, int64_t>;

HubModel model_of(const ShardKey& key, const std::map<int64_t, HubFile>& shards) {
  std::vector<HubFile> files;
  for (const auto& [number, file] : shards) files.push_back(file);
  HubModel model = model_of(std::move(files));
  model.missing = key.second - std::ssize(model.files);
  return model;
}

std::string listed(const std::vector<const HubModel*>& models) {
  std::vector<std::string> names;
  for (const HubModel* m : models)
    names.push_back((m->tag.empty() ? m->path() : ":" + m->tag) + " (" + size_text(m->bytes()) + ")");
  return some_of(names, kMostNamed);
}

const HubModel& whole(const HubModel& model) {
  if (model.missing > 0)
    fail(Errc::kNotFound, "{} is not whole: {} of {} shards are missing", printable(model.path()), model.missing,
         model.missing + std::ssize(model.files));
  return model;
}

std::vector<const HubModel*> usable(const std::vector<HubModel>& models) {
  std::vector<const HubModel*> out;
  for (const HubModel& m : models)
    if (!m.is_part) out.push_back(&m);
  return out;
}

// Without a folder, if there are others: a user who means it names its tag.
std::vector<const HubModel*> files_first(std::vector<const HubModel*> models) {
  if (std::ranges::any_of(models, [](const HubModel* m) { return !m->is_folder; }))
    std::erase_if(models, [](const HubModel* m) { return m->is_folder; });
  return models;
}

// The one of those for which `is` holds; null: none. Throws kNotFound where there are several.
const HubModel* only(const HubName& name, const std::vector<const HubModel*>& models, const auto& is) {
  const HubModel* found = nullptr;
  for (const HubModel* m : models) {
    if (!is(*m)) continue;
    if (found)
      fail(Errc::kNotFound, "{}: several files are meant, as {} and {}; name one: {}/PATH.gguf", name.text(),
           printable(found->path()), printable(m->path()), name.repo.id());
    found = m;
  }
  return found;
}

const HubModel& by_tag(const std::vector<const HubModel*>& models, const HubName& name) {
  const HubModel* found = only(name, models, [&](const HubModel& m) { return is_same_tag(m.tag, name.tag); });
  if (!found) found = only(name, models, [&](const HubModel& m) { return ends_in_tag(m.tag, name.tag); });
  if (!found) fail(Errc::kNotFound, "{}: there is no {}; there are {}", name.repo.id(), name.tag, listed(models));
  return *found;
}

const HubModel* largest_that_fits(std::vector<const HubModel*> models, const HubName& name, const Fits& fits) {
  std::erase_if(models, [](const HubModel* m) { return !up_to_q8_0(m->tag); });
  std::ranges::stable_sort(models, std::greater<>(), &HubModel::bytes);
  for (const HubModel* m : models)
    if (fits(*m)) return only(name, models, [&](const HubModel& other) { return other.tag == m->tag; });
  return nullptr;
}

const HubModel& best(const std::vector<const HubModel*>& models, const HubName& name, const Fits& fits) {
  if (models.size() == 1) return *models.front();
  const HubModel* usual = only(name, models, [&](const HubModel& m) { return is_same_tag(m.tag, kUsualTag); });
  if (usual && fits(*usual)) return *usual;
  const HubModel* found = largest_that_fits(models, name, fits);
  if (found) return *found;
  const bool any = std::ranges::any_of(models, [](const HubModel* m) { return up_to_q8_0(m->tag); });
  if (any)
    fail(
        Errc::kNoMemory,
        "{}: none of its types up to Q8_0 fits into the memory that is there; there are {}; name one to get it all the same",
        name.repo.id(), listed(models));
  fail(Errc::kNotFound, "{}: it has no type up to Q8_0; there are {}; name one", name.repo.id(), listed(models));
}

}  // namespace

int64_t HubModel::bytes() const {
  int64_t sum = 0;
  for (const HubFile& f : files) sum += f.size;
  return sum;
}

bool HubModel::has(std::string_view file) const { return std::ranges::find(files, file, &HubFile::path) != files.end(); }

std::vector<HubModel> models_of(const std::vector<HubFile>& files) {
  std::map<ShardKey, std::map<int64_t, HubFile>> shards;
  std::vector<HubModel> models;
  for (const HubFile& file : files) {
    if (!file.path.ends_with(".gguf")) continue;
    const auto name = gguf::parse_shard_name(file.path);
    if (name && name->count > 1 && name->count <= kMostShards && name->number >= 1 && name->number <= name->count)
      shards[{name->prefix, name->count}][name->number] = file;
    else
      models.push_back(model_of({file}));
  }
  for (const auto& [key, numbered] : shards) models.push_back(model_of(key, numbered));
  if (auto adapter = adapter_folder(files)) models.push_back(std::move(*adapter));
  std::ranges::stable_sort(models, std::less<>(), [](const HubModel& m) { return std::pair(m.tag, m.path()); });
  return models;
}

HubName name_of(const HubRepo& repo, const HubModel& model, const std::vector<HubModel>& all) {
  if (model.adapter && model.is_folder && all.size() == 1) return {.repo = repo};
  const auto same = [&](const HubModel& other) { return !other.is_part && other.tag == model.tag; };
  const bool by_tag = !model.is_part && !model.tag.empty() && std::ranges::count_if(all, same) == 1;
  return {.repo = repo, .tag = by_tag ? model.tag : "", .file = by_tag ? "" : model.path()};
}

const HubModel& choose_model(const std::vector<HubModel>& models, const HubName& name, const Fits& fits) {
  const std::vector<const HubModel*> known = usable(models);
  if (!name.file.empty()) {
    const auto at = std::ranges::find_if(models, [&](const HubModel& m) { return m.has(name.file); });
    if (at == models.end())
      fail(Errc::kNotFound, "{}: there is no {}; there are {}", name.repo.id(), printable(name.file),
           known.empty() ? "no GGUF files" : listed(known));
    return whole(*at);
  }
  if (known.empty()) fail(Errc::kNotFound, "{}: there are no GGUF files with models, and no adapter", name.repo.id());
  return whole(name.tag.empty() ? best(files_first(known), name, fits) : by_tag(known, name));
}

}  // namespace skald
