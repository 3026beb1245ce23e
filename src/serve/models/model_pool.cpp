#include "serve/models/model_pool.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "hub/adapter_facts.h"
#include "loading/model_name.h"
#include "serve/api_error.h"
#include "serve/models/engine_sums.h"

namespace skald::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWho = "serve: models";
constexpr std::string_view kEnding = ".gguf", kLatest = ":latest";

std::string_view without_latest(std::string_view name) {
  return name.ends_with(kLatest) ? name.substr(0, name.size() - kLatest.size()) : name;
}

ApiError not_found(std::string_view name) {
  return ApiError(404, "there is no model of the name " + std::string(name), "model", "model_not_found");
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

ModelPool::ModelPool(const ServeOptions& options, FairWorkers& workers, std::chrono::milliseconds patience)
    : options_(options), workers_(workers), patience_(patience) {
  if (single())
    entries_.emplace("", Entry{.id = options.aliases.empty() ? "" : options.aliases.front(), .path = options.model});
  else
    read_folder();
}

ModelPool::~ModelPool() = default;

void ModelPool::start(std::function<void(std::exception_ptr error)> loaded) {
  if (!single()) return loaded(nullptr);
  const std::lock_guard lock(mutex_);
  Entry& one = entries_.begin()->second;
  one.state = State::kLoading;
  loader_.post([this, loaded = std::move(loaded), path = one.path] {
    workers_.post([loaded, error = load("", path)] { loaded(error); });
  });
}

bool ModelPool::is_ready() const {
  const std::lock_guard lock(mutex_);
  return !single() || entries_.begin()->second.state == State::kLoaded;
}

Lease ModelPool::get(std::string_view name) {
  const std::lock_guard lock(mutex_);
  Entry& entry = checked_find(name);
  const bool held_back = std::ranges::any_of(waiting_, [this](const Waiting& w) { return goes_first(w); });
  return entry.state == State::kLoaded && !held_back ? lease(entry) : nullptr;
}

void ModelPool::wait_for(std::string_view name, Waiter waiter) {
  {
    const std::lock_guard lock(mutex_);
    const Entry& entry = checked_find(name);
    const int64_t allowed = options_.engine.schedule.max_waiting;
    // With a queue for none, one must still be able to have its model loaded.
    const int64_t most = allowed < 0 ? std::numeric_limits<int64_t>::max() : std::max<int64_t>(1, allowed);
    const auto own = std::ranges::count(waiting_, waiter.client, [](const Waiting& w) { return w.who.client; });
    if (own >= most - std::ssize(waiting_)) throw ApiError(503, "too many requests wait for models to be loaded");
    waiting_.push_back({entry.id, std::move(waiter)});
  }
  serve_waiting();
}

void ModelPool::unload(std::string_view name) {
  std::shared_ptr<ServedModel> idle;
  const std::lock_guard lock(mutex_);
  Entry* entry = find(name);
  if (!entry) throw not_found(name);
  if (entry->state != State::kLoaded) return;
  entry->leaves = true;
  if (entry->users == 0) idle = take_out(*entry);
  if (idle) loader_.post([this, idle = std::move(idle)] { retire(idle); });
}

std::vector<ModelPool::Entry> ModelPool::list(std::string_view name) {
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

std::vector<Lease> ModelPool::loaded() {
  const std::lock_guard lock(mutex_);
  std::vector<Lease> out;
  for (auto& [key, entry] : entries_)
    if (entry.model) out.push_back(lease(entry));
  return out;
}

EngineStatus ModelPool::status() const {
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

ModelPool::Entry* ModelPool::find(std::string_view name) {
  if (single()) return &entries_.begin()->second;
  const auto look = [&] {
    const auto found = entries_.find(without_latest(name));
    return found == entries_.end() ? nullptr : &found->second;
  };
  Entry* const known = look();
  if (known && (known->model || known->state == State::kLoading || is_there(known->path))) return known;
  read_folder();
  return look();
}

// Of a request, which keeps the model from being unloaded.
ModelPool::Entry& ModelPool::checked_find(std::string_view name) {
  if (single() && entries_.begin()->second.state != State::kLoaded) throw ApiError(503, "Loading model");
  if (!single() && name.empty()) throw ApiError(400, "model: want the name of one of the models", "model");
  Entry* entry = find(name);
  if (!entry) throw not_found(name);
  entry->leaves = false;
  return *entry;
}

// Names of requests are looked up in the listed models, and never become paths. Adapters are no models.
void ModelPool::read_folder() {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(options_.models_dir, error)) {
    const fs::path& path = file.path();
    if (path.extension() != kEnding) continue;
    const std::string id = name_of_stem(path.stem().string());
    if (id.empty() || entries_.contains(id) || adapter_facts(path.string())) continue;
    entries_.emplace(id, Entry{.id = id, .path = path.string()});
  }
  if (error) fail(Errc::kNotFound, "--models-dir {}: {}", options_.models_dir, error.message());
  std::erase_if(entries_, [](const auto& item) {
    return item.second.state != State::kLoading && !item.second.model && !is_there(item.second.path);
  });
}

// One user of a model: its own count tells when the last of them is gone.
struct ModelPool::Use {
  Use(ModelPool& of, std::string name, std::shared_ptr<ServedModel> used)
      : pool(of), id(std::move(name)), model(std::move(used)) {}
  ~Use() {
    model.reset();
    pool.released(id);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  ModelPool& pool;
  std::string id;
  std::shared_ptr<ServedModel> model;
};

// Where there is no memory for it no lease is released: the caller has the lock.
Lease ModelPool::lease(Entry& entry) {
  auto use = std::make_shared<Use>(*this, single() ? "" : entry.id, entry.model);
  ++entry.users;
  entry.last_use = ++uses_;
  ServedModel* const model = use->model.get();
  return Lease(std::move(use), model);
}

// Nothing of it may stay undone: no other thread would do it.
void ModelPool::released(const std::string& id) noexcept {
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

// On the loader's thread. A request may have come for it again.
void ModelPool::retire_unused(const std::string& id) {
  std::shared_ptr<ServedModel> idle;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || !found->second.leaves || found->second.users > 0) return;
    idle = take_out(found->second);
  }
  retire(idle);
}

// An engine waits for its thread when it goes: that is not for a thread that holds the lock.
std::shared_ptr<ServedModel> ModelPool::take_out(Entry& entry) {
  leaving_.push_back(entry.model);
  entry.state = State::kUnloaded;
  entry.leaves = false;
  return std::move(entry.model);
}

// Its engine may still have to count the tokens of its last request.
void ModelPool::retire(const std::shared_ptr<ServedModel>& model) {
  constexpr std::chrono::milliseconds kLookEvery{1};
  EngineStatus last;
  if (model->writes())
    for (last = model->engine().status(); last.running + last.waiting > 0; last = model->engine().status())
      std::this_thread::sleep_for(kLookEvery);
  const std::lock_guard lock(mutex_);
  add_counters(unloaded_, last);
  std::erase(leaving_, model);
}

// Waiters that are passed over for want of memory are looked at again with the next request, or when a model is idle or
// there.
void ModelPool::serve_waiting() noexcept {
  News news;
  {
    const std::lock_guard lock(mutex_);
    take_news(news);  // of a model that has just come, which would be the next to make way otherwise
    guarded(kWho, [this] { begin_load(); });
    take_news(news);
  }
  tell(news);
}

void ModelPool::take_news(News& news) noexcept {
  bool held_back = false;
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    const auto at = w++;
    if (has_news(*at, held_back))
      news.splice(news.end(), waiting_, at);
    else
      held_back = held_back || goes_first(*at);
  }
}

// Whether a request has waited so long for a place that newer ones leave the loaded models to become idle.
bool ModelPool::goes_first(const Waiting& waiting) const {
  const auto found = entries_.find(waiting.id);
  if (found == entries_.end() || found->second.state == State::kLoaded || found->second.state == State::kLoading)
    return false;
  return Clock::now() - std::max(waiting.since, last_load_) >= patience_ && !waiting.who.gone();
}

// Of the models that are waited for the first one that there is a place for.
void ModelPool::begin_load() {
  const auto in_state = [this](State state) {
    return std::ranges::count_if(entries_, [state](const auto& e) { return e.second.state == state; });
  };
  if (in_state(State::kLoading) > 0) return;
  for (const Waiting& waiting : waiting_) {
    const auto found = entries_.find(waiting.id);
    if (found == entries_.end() || found->second.state == State::kLoaded || waiting.who.gone()) continue;
    if (!is_there(found->second.path)) {  // no other model makes way for it
      entries_.erase(found);
      continue;
    }
    std::shared_ptr<ServedModel> idle;
    if (in_state(State::kLoaded) >= options_.models_max && !(idle = taken_from_idle())) return;
    surely(kWho, [&] {
      loader_.post([this, idle, id = waiting.id, path = found->second.path]() mutable {
        if (idle) retire(idle);
        idle.reset();  // its memory is for the next one
        load(id, path);
      });
    });
    found->second.state = State::kLoading;
    return;
  }
}

// Whether the waiter need not wait any more; it has then the model, or the error.
bool ModelPool::has_news(Waiting& waiting, bool held_back) noexcept {
  try {
    if (waiting.who.gone()) return true;
    const auto found = entries_.find(waiting.id);
    if (found == entries_.end()) throw ApiError(not_found(waiting.id));
    if (found->second.state != State::kLoaded || held_back) return false;
    waiting.model = lease(found->second);
  } catch (...) {
    waiting.error = std::current_exception();
  }
  return true;
}

// Of those that wait for the model, or of all.
ModelPool::News ModelPool::refused(std::string_view id, const std::exception_ptr& error) noexcept {
  News news;
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    const auto at = w++;
    if (!id.empty() && at->id != id) continue;
    at->error = error;
    news.splice(news.end(), waiting_, at);
  }
  return news;
}

void ModelPool::tell(News& news) noexcept {
  for (Waiting& one : news) guarded(kWho, [&] { one.who.ready(std::move(one.model), one.error); });
}

void ModelPool::refuse_waiting(const std::exception_ptr& error) noexcept {
  News news;
  {
    const std::lock_guard lock(mutex_);
    news = refused("", error);
  }
  tell(news);
}

// The idle model that was used least recently; none where all are in use.
std::shared_ptr<ServedModel> ModelPool::taken_from_idle() {
  Entry* oldest = nullptr;
  for (auto& [key, entry] : entries_)
    if (entry.state == State::kLoaded && entry.users == 0 && (!oldest || entry.last_use < oldest->last_use)) oldest = &entry;
  return oldest ? take_out(*oldest) : nullptr;
}

// Returns the error.
std::exception_ptr ModelPool::load(const std::string& id, const std::string& path) noexcept {
  std::shared_ptr<ServedModel> model;
  std::exception_ptr error;
  try {
    const std::string name = single() && !options_.aliases.empty() ? options_.aliases.front() : id;
    model = std::make_shared<ServedModel>(path, name, options_);
  } catch (...) {
    error = error_of_load(id, path);
  }
  end_load(id, std::move(model), error);
  return error;
}

// Of the exception that is being handled, in the words of the API.
std::exception_ptr ModelPool::error_of_load(const std::string& id, const std::string& path) const noexcept {
  if (single()) return std::current_exception();
  try {
    if (!is_there(path)) throw ApiError(not_found(id));
    throw;
  } catch (const ApiError&) {
    return std::current_exception();
  } catch (const std::exception& e) {
    try {
      throw ApiError(500, "the model " + id + " cannot be loaded: " + e.what(), "model");
    } catch (...) {
      return std::current_exception();
    }
  }
}

void ModelPool::end_load(const std::string& id, std::shared_ptr<ServedModel> model,
                         const std::exception_ptr& error) noexcept {
  News news;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(id);
    entry.state = error ? State::kFailed : State::kLoaded;
    last_load_ = Clock::now();
    if (model) guarded(kWho, [&] { entry.id = model->id(); });
    entry.model = std::move(model);
    if (error) news = refused(id, error);
  }
  tell(news);
  serve_waiting();
}

}  // namespace skald::serve
