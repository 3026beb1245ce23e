#include "serve/models/lora_list.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

namespace fs = std::filesystem;

// A file or folder in the operator's folder, whose links count as what they lead to.
std::string path_in(const std::string& dir, const std::string& file) {
  if (dir.empty()) throw ApiError(403, "adapters are not loaded while serving: the server was started without --lora-dir");
  std::error_code error;
  const fs::path root = fs::canonical(dir, error), path = fs::canonical(root / file, error);
  const auto [at, rest] = std::ranges::mismatch(root, path);
  if (error || at != root.end() || rest == path.end())
    throw ApiError(404, "lora_path: there is no such file in the folder of --lora-dir", "lora_path");
  return path.string();
}

// What is wrong with it is told to the client, who chose it.
Lora load_file(const Model& model, const std::string& path) {
  try {
    return Lora::load(model, path);
  } catch (const Error& e) {
    throw ApiError(400, e.what(), "lora_path");
  }
}

}  // namespace

LoraList::LoraList(const Model& model, const LoraOptions& options) : model_(model), dir_(options.dir) {
  for (const LoraFile& file : options.files)
    entries_.push_back({next_id_++, {}, Lora::load(model, file.path), options.apply ? file.scale : 0});
  for (const LoraModule& module : options.modules)
    entries_.push_back({next_id_++, module.name, Lora::load(model, module.path), 0});
}

std::vector<LoraList::Entry> LoraList::all() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

std::vector<LoraUse> LoraList::usual() const {
  const std::lock_guard lock(mutex_);
  std::vector<LoraUse> out;
  for (const Entry& e : entries_)
    if (e.scale != 0) out.push_back({e.lora, e.scale});
  return out;
}

std::optional<Lora> LoraList::with_id(int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find(entries_, id, &Entry::id);
  return at == entries_.end() ? std::nullopt : std::optional(at->lora);
}

const LoraList::Entry* LoraList::find(std::string_view name) const {
  const auto at = std::ranges::find(entries_, name, &Entry::name);
  return name.empty() || at == entries_.end() ? nullptr : &*at;
}

std::optional<Lora> LoraList::named(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(name);
  return entry ? std::optional(entry->lora) : std::nullopt;
}

void LoraList::set_scales(const std::vector<std::pair<int64_t, float>>& scales) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, scale] : scales)
    if (!std::ranges::count(entries_, id, &Entry::id))
      throw ApiError(400, fmt::format("id: there is no adapter {}", id), "id");
  for (Entry& e : entries_) e.scale = 0;
  for (const auto& [id, scale] : scales) std::ranges::find(entries_, id, &Entry::id)->scale = scale;
}

// The file is read without the lock.
void LoraList::load(const std::string& name, const std::string& file) {
  const std::string path = path_in(dir_, file);
  const auto refuse_taken = [&] {
    if (find(name)) throw ApiError(400, "lora_name: there is an adapter of this name", "lora_name");
  };
  {
    const std::lock_guard lock(mutex_);
    refuse_taken();
  }
  Lora lora = load_file(model_, path);
  const std::lock_guard lock(mutex_);
  refuse_taken();
  entries_.push_back({next_id_++, name, std::move(lora), 0});
}

void LoraList::unload(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(name);
  if (!entry) throw ApiError(404, "lora_name: there is no adapter of this name", "lora_name");
  entries_.erase(entries_.begin() + (entry - entries_.data()));
}

}  // namespace skald::serve
