#include "serve/model_shelf.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "loading/model_name.h"
#include "serve/api_error.h"
#include "serve/engine_sums.h"

namespace skald::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".gguf", kLatest = ":latest";

std::string_view without_latest(std::string_view name) {
  return name.ends_with(kLatest) ? name.substr(0, name.size() - kLatest.size()) : name;
}

ApiError not_found(std::string_view name) {
  return ApiError(404, "there is no model of the name " + std::string(name), "model", "model_not_found");
}

}  // namespace

ModelShelf::ModelShelf(const ServeOptions& options, FairWorkers& workers) : options_(options), workers_(workers) {
  if (single())
    entries_.emplace("", Entry{.id = options.aliases.empty() ? "" : options.aliases.front(), .path = options.model});
  else
    read_folder();
}

ModelShelf::~ModelShelf() = default;

void ModelShelf::start(std::function<void(std::exception_ptr error)> loaded) {
  if (!single()) return loaded(nullptr);
  const std::lock_guard lock(mutex_);
  Entry& one = entries_.begin()->second;
  one.state = State::kLoading;
  waiting_.push_back({"", [loaded = std::move(loaded)](const Lease&, const std::exception_ptr& error) { loaded(error); }});
  loader_.post([this, path = one.path] { load("", path); });
}

bool ModelShelf::is_ready() const {
  const std::lock_guard lock(mutex_);
  return !single() || entries_.begin()->second.state == State::kLoaded;
}

void ModelShelf::get(std::string_view name, const Ready& ready) {
  Lease model;
  {
    const std::lock_guard lock(mutex_);
    if (single() && entries_.begin()->second.state != State::kLoaded) throw ApiError(503, "Loading model");
    if (!single() && name.empty()) throw ApiError(400, "model: want the name of one of the models", "model");
    Entry* entry = find(name);
    if (!entry) throw not_found(name);
    entry->leaves = false;
    if (entry->state == State::kLoaded)
      model = lease(*entry);
    else
      waiting_.push_back({entry->id, ready});
  }
  if (model) return ready(std::move(model), nullptr);
  serve_waiting();
}

void ModelShelf::unload(std::string_view name) {
  std::shared_ptr<ServedModel> idle;
  const std::lock_guard lock(mutex_);
  Entry* entry = find(name);
  if (!entry) throw not_found(name);
  if (entry->state != State::kLoaded) return;
  entry->leaves = true;
  if (entry->users == 0) idle = take_out(*entry);
  if (idle) loader_.post([this, idle = std::move(idle)] { retire(idle); });
}

std::vector<ModelShelf::Entry> ModelShelf::list(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (!single()) read_folder();
  std::vector<Entry> out;
  for (auto& [key, entry] : entries_) {
    const bool named = name.empty() || without_latest(name) == entry.id ||
                       (entry.model && without_latest(name) == entry.model->model().name()) ||
                       (single() && std::ranges::find(options_.aliases, without_latest(name)) != options_.aliases.end());
    if (!named) continue;
    out.push_back({entry.id, entry.path, entry.leaves ? State::kUnloaded : entry.state});
    if (entry.model && !entry.leaves) out.back().model = lease(entry);
  }
  return out;
}

std::vector<Lease> ModelShelf::loaded() {
  const std::lock_guard lock(mutex_);
  std::vector<Lease> out;
  for (auto& [key, entry] : entries_)
    if (entry.model) out.push_back(lease(entry));
  return out;
}

EngineStatus ModelShelf::status() const {
  const std::lock_guard lock(mutex_);
  EngineStatus all = unloaded_;
  for (const std::shared_ptr<ServedModel>& model : leaving_)
    if (model->writes()) add_counters(all, model->engine().status());
  for (const auto& [key, entry] : entries_) {
    if (!entry.model || !entry.model->writes()) continue;
    const EngineStatus one = entry.model->engine().status();
    add_counters(all, one);
    add_gauges(all, one);
  }
  return all;
}

ModelShelf::Entry* ModelShelf::find(std::string_view name) {
  if (single()) return &entries_.begin()->second;
  auto found = entries_.find(without_latest(name));
  if (found == entries_.end()) {
    read_folder();
    found = entries_.find(without_latest(name));
  }
  return found == entries_.end() ? nullptr : &found->second;
}

// Names of requests are looked up in what was listed, and never become paths.
void ModelShelf::read_folder() {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(options_.models_dir, error)) {
    const fs::path& path = file.path();
    if (path.extension() != kEnding) continue;
    const std::string id = name_of_stem(path.stem().string());
    if (!id.empty()) entries_.emplace(id, Entry{.id = id, .path = path.string()});
  }
  if (error) fail(Errc::kNotFound, "--models-dir {}: {}", options_.models_dir, error.message());
  std::erase_if(entries_, [](const auto& item) {
    std::error_code ignored;
    return item.second.state != State::kLoading && !item.second.model && !fs::exists(item.second.path, ignored);
  });
}

// One user of a model: its own count tells when the last of them is gone.
struct ModelShelf::Use {
  Use(ModelShelf& of, std::string name, std::shared_ptr<ServedModel> used)
      : shelf(of), id(std::move(name)), model(std::move(used)) {}
  ~Use() {
    model.reset();
    shelf.released(id);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  ModelShelf& shelf;
  std::string id;
  std::shared_ptr<ServedModel> model;
};

// Where there is no memory for it nobody is released: the caller has the lock.
Lease ModelShelf::lease(Entry& entry) {
  auto use = std::make_shared<Use>(*this, single() ? "" : entry.id, entry.model);
  ++entry.users;
  entry.last_use = ++uses_;
  ServedModel* const model = use->model.get();
  return Lease(std::move(use), model);
}

// Nothing of it may stay undone: nobody else would do it.
void ModelShelf::released(const std::string& id) noexcept {
  constexpr std::string_view kWho = "serve: a model that is not used any more";
  bool leaves = false, waits = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    leaves = --found->second.users == 0 && found->second.leaves;
    waits = !waiting_.empty();
  }
  if (leaves) surely(kWho, [&] { loader_.post([this, id] { retire_unused(id); }); });
  if (waits) surely(kWho, [&] { workers_.post([this] { serve_waiting(); }); });
}

// On the loader's thread. Somebody may have come for it again.
void ModelShelf::retire_unused(const std::string& id) {
  std::shared_ptr<ServedModel> idle;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || !found->second.leaves || found->second.users > 0) return;
    idle = take_out(found->second);
  }
  retire(idle);
}

// An engine waits for its thread when it goes: that is not for whoever holds the lock.
std::shared_ptr<ServedModel> ModelShelf::take_out(Entry& entry) {
  leaving_.push_back(entry.model);
  entry.state = State::kUnloaded;
  entry.leaves = false;
  return std::move(entry.model);
}

// Its engine may still have to count what its last request wrote.
void ModelShelf::retire(const std::shared_ptr<ServedModel>& model) {
  constexpr std::chrono::milliseconds kLookEvery{1};
  EngineStatus last;
  if (model->writes())
    for (last = model->engine().status(); last.running + last.waiting > 0; last = model->engine().status())
      std::this_thread::sleep_for(kLookEvery);
  const std::lock_guard lock(mutex_);
  add_counters(unloaded_, last);
  std::erase(leaving_, model);
}

// Without the lock: what closed workers drop gives its model back.
void ModelShelf::serve_waiting() {
  for (std::function<void()>& serve : take_waiting()) workers_.post(std::move(serve));
}

// Gives out what is loaded, and begins to load what there is a place for.
std::vector<std::function<void()>> ModelShelf::take_waiting() {
  const std::lock_guard lock(mutex_);
  std::vector<std::function<void()>> served;
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    const auto found = entries_.find(w->id);
    if (found == entries_.end()) {
      ++w;
      continue;
    }
    Entry& entry = found->second;
    if (entry.state == State::kLoaded) {
      served.emplace_back([model = lease(entry), ready = std::move(w->ready)] { ready(model, nullptr); });
      w = waiting_.erase(w);
      continue;
    }
    const auto busy = std::ranges::count_if(
        entries_, [](const auto& e) { return e.second.state == State::kLoaded || e.second.state == State::kLoading; });
    std::shared_ptr<ServedModel> idle;
    const bool place = busy < options_.models_max || (idle = taken_from_idle());
    if (entry.state != State::kLoading && place) {
      entry.state = State::kLoading;
      loader_.post([this, idle = std::move(idle), id = entry.id, path = entry.path]() mutable {
        if (idle) retire(idle);
        idle.reset();  // its memory is for the next one
        load(id, path);
      });
    }
    ++w;
  }
  return served;
}

// The idle model that was used least recently; none where all are in use.
std::shared_ptr<ServedModel> ModelShelf::taken_from_idle() {
  Entry* oldest = nullptr;
  for (auto& [key, entry] : entries_)
    if (entry.state == State::kLoaded && entry.users == 0 && (!oldest || entry.last_use < oldest->last_use)) oldest = &entry;
  return oldest ? take_out(*oldest) : nullptr;
}

void ModelShelf::load(const std::string& id, const std::string& path) {
  std::shared_ptr<ServedModel> model;
  std::exception_ptr error;
  try {
    const std::string name = single() && !options_.aliases.empty() ? options_.aliases.front() : id;
    model = std::make_shared<ServedModel>(path, name, options_);
  } catch (const std::exception& e) {
    error = single() ? std::current_exception()
                     : std::make_exception_ptr(ApiError(500, "the model " + id + " cannot be loaded: " + e.what()));
  }
  end_load(id, std::move(model), error);
}

void ModelShelf::end_load(const std::string& id, std::shared_ptr<ServedModel> model, const std::exception_ptr& error) {
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(id);
    entry.state = error ? State::kFailed : State::kLoaded;
    if (model) entry.id = model->id();
    entry.model = std::move(model);
    for (auto w = waiting_.begin(); error && w != waiting_.end();) {
      if (w->id != id) {
        ++w;
        continue;
      }
      workers_.post([error, ready = std::move(w->ready)] { ready(nullptr, error); });
      w = waiting_.erase(w);
    }
  }
  serve_waiting();
}

}  // namespace skald::serve
