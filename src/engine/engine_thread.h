// EngineThread: the engine's thread, the objects that it alone may touch, and the inbox by which other threads reach it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "backend/backend.h"
#include "engine/adapter_mixes.h"
#include "engine/disk_tier.h"
#include "engine/grammars.h"
#include "engine/inbox.h"
#include "engine/kept_promise.h"
#include "engine/loop.h"
#include "engine/request_check.h"
#include "engine/status_board.h"
#include "loading/loaded_model.h"
#include "skald/engine.h"
#include "stepping/gpu_layers.h"
#include "stepping/stepper.h"

namespace skald {

/// Its functions are those of Engine, which describes them.
class EngineThread {
 public:
  EngineThread(const Model& model, const EngineOptions& options)
      : EngineThread(model, options, make_backend(with_gpu_layers(*model.loaded(), options).device)) {}
  /// On a backend of the caller's choice.
  EngineThread(const Model& model, const EngineOptions& options, std::unique_ptr<Backend> backend);
  ~EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  Submission submit(Request request);
  void cancel(RequestId id) { inbox_.post(Cancel{id}); }
  void hold(RequestId id, bool held) { inbox_.post(Hold{id, held}); }
  void forget(ConversationId conversation) { inbox_.post(Forget{conversation}); }

  // engine_slots.cpp
  SlotFile save_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name);
  SlotFile restore_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name);
  int64_t erase_slot(int64_t slot, const std::string& owner);

  int64_t n_ctx() const { return limits_.n_ctx; }
  SparqUse sparq_use() const { return stepper_->sparq_use(); }
  std::vector<SparqLayers> sparq_layers() const { return stepper_->sparq_layers(); }
  MemoryUse memory() const;
  EngineStatus status() const { return board_.status(); }

 private:
  struct NewRequest {
    RequestId id;
    Request request;
    KeptPromise<Result> promise;
    std::unique_ptr<GrammarCursor> grammar;
    Clock::time_point arrived;
  };
  struct Cancel {
    RequestId id;
  };
  struct Hold {
    RequestId id;
    bool held;
  };
  struct Forget {
    ConversationId conversation;
  };
  /// A EngineLoop's function, with its arguments.
  using SlotWork = std::function<void(EngineLoop& loop)>;
  using Message = std::variant<NewRequest, Cancel, Hold, Forget, SlotWork>;

  void check_options(const EngineOptions& options) const;
  void check_first_mask(GrammarCursor& grammar, const Request& request);
  static void cut_to_pages(Request& request);
  void find_named(Request& request) const;
  Submission post(Request request, std::unique_ptr<GrammarCursor> grammar);
  static bool waits_for_place(const Request& r) { return r.max_tokens != 0 && !r.read_ahead; }
  template <class T>
  T on_loop(std::function<void(EngineLoop&, KeptPromise<T>)> work);
  PageKey slot_root(const std::string& owner) const;
  void keep_on_disk(const EngineOptions& options);
  LoopOptions loop_options(const EngineOptions& options);
  void serve() noexcept;
  bool serve_once();
  void flush();
  void handle(Message& message);
  void tell_status();
  void publish_memory();

  std::shared_ptr<const LoadedModel> model_;
  RequestLimits limits_;
  int64_t n_parallel_;
  double max_itl_seconds_;
  std::function<void(const StepReport&)> on_step_;
  CheckpointOptions checkpoints_;
  Grammars grammars_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stepper> stepper_;
  AdapterMixes mixes_;
  std::atomic<RequestId> next_id_{1};
  mutable std::mutex memory_mutex_;
  MemoryUse memory_;
  StatusBoard board_;
  Inbox<Message> inbox_;
  std::shared_ptr<PrefixStore> prefix_store_;
  std::optional<DiskTier> disk_;          // after the objects that it wakes and uses
  std::optional<Sha256Sum> fingerprint_;  // where something is kept beyond memory
  bool slot_files_;
  PrefixReports reports_;
  // The thread's own from its beginning on:
  std::optional<EngineLoop> loop_;
  EngineStatus status_;  // told next; its memory is there
  int64_t taken_ = 0;    // requests, since the status was last told
  std::thread thread_;
};

}  // namespace skald
