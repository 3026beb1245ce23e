// ModelPool: the models that are served, loaded when a client asks for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "serve/models/served_model.h"
#include "serve/options.h"
#include "serve/workers/fair_workers.h"
#include "serve/workers/workers.h"

namespace skald::serve {

/// Keeps a model loaded as long as a caller holds one. May be dropped on any thread.
using Lease = std::shared_ptr<ServedModel>;

class ModelPool {
 public:
  enum class State : uint8_t { kUnloaded, kLoading, kLoaded, kFailed };
  struct Entry {
    std::string id;
    std::string path;
    State state = State::kUnloaded;
    std::shared_ptr<ServedModel> model = {};  // while it is loaded
    int64_t users = 0;                        // leases of it
    int64_t last_use = 0;
    bool leaves = false;  // it is unloaded when no request uses it any more
  };
  /// A request for a model that is not loaded.
  struct Waiter {
    std::string client;          // one has as many places as it leaves for others
    std::function<bool()> gone;  // whether it has left; from any thread
    /// Takes the model, or the error that keeps it from being there, or neither where the client is gone. On any thread,
    /// without locks.
    std::function<void(Lease model, const std::exception_ptr& error)> ready;
  };

  static constexpr std::chrono::milliseconds kPatience{5000};

  /// `options` and `workers` must outlive it; models are loaded one after the other on a thread of their own. A request that
  /// has waited for `patience` for a place goes before newer ones: these no longer keep the loaded models in use. A model
  /// has that long, too, from when it is there. Throws Error for a folder that is none.
  ModelPool(const ServeOptions& options, FairWorkers& workers, std::chrono::milliseconds patience = kPatience);
  ~ModelPool();

  /// Begins to load the one model, where there is one alone; `loaded` is then called on a worker; of several models at once.
  void start(std::function<void(std::exception_ptr error)> loaded);
  /// Returns whether there is one model, which any name means.
  bool single() const { return options_.models_dir.empty(); }
  /// Returns whether the one model is there.
  bool is_ready() const;

  /// Gives the model if it is loaded and no request goes before this one, else null. Throws ApiError: 503 while the one
  /// model is loading; of several, 404 for a name that there is not and 400 for none.
  Lease get(std::string_view name);
  /// Waits for a model that get() does not have. The next one to load is chosen when the last one is there, of those that
  /// waiters still want. Throws ApiError: as get(), and 503 where ScheduleOptions::max_waiting others wait.
  void wait_for(std::string_view name, Waiter waiter);
  /// Lets waiters that are gone leave.
  void look_again() { serve_waiting(); }
  /// Gives the error to all that wait.
  void refuse_waiting(const std::exception_ptr& error) noexcept;
  /// Unloads a model, now or when no request uses it any more. Throws ApiError (404).
  void unload(std::string_view name);

  /// In the order of their ids; the folder is read again. Those that fit the name alone, if there is one.
  std::vector<Entry> list(std::string_view name = {});
  std::vector<Lease> loaded();
  /// Adds up the statuses of all models' engines, with the counters of unloaded ones.
  EngineStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::string id;
    Waiter who;
    Clock::time_point since = Clock::now();
    Lease model = {};               // when it has waited long enough
    std::exception_ptr error = {};  // likewise
  };
  using News = std::list<Waiting>;  // to be told without the lock

  Entry* find(std::string_view name);
  Entry& checked_find(std::string_view name);
  void read_folder();
  struct Use;
  Lease lease(Entry& entry);
  void released(const std::string& id) noexcept;
  void retire_unused(const std::string& id);
  void serve_waiting() noexcept;
  void begin_load();
  void take_news(News& news) noexcept;
  bool has_news(Waiting& waiting, bool held_back) noexcept;
  bool goes_first(const Waiting& waiting) const;
  static void tell(News& news) noexcept;
  News refused(std::string_view id, const std::exception_ptr& error) noexcept;
  std::shared_ptr<ServedModel> taken_from_idle();
  std::shared_ptr<ServedModel> take_out(Entry& entry);
  void retire(const std::shared_ptr<ServedModel>& model);
  std::exception_ptr load(const std::string& id, const std::string& path) noexcept;
  std::exception_ptr error_of_load(const std::string& id, const std::string& path) const noexcept;
  void end_load(const std::string& id, std::shared_ptr<ServedModel> model, const std::exception_ptr& error) noexcept;

  const ServeOptions& options_;
  FairWorkers& workers_;
  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // of one model: that alone, by any key
  std::list<Waiting> waiting_;
  Clock::time_point last_load_ = {};
  int64_t uses_ = 0;
  std::list<std::shared_ptr<ServedModel>> leaving_;  // on their way out
  EngineStatus unloaded_;                            // counters of models that were
  Workers loader_{1};
};

}  // namespace skald::serve
