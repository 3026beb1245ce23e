// AdapterMixes: the adapters of requests, each in the form of steps while it is loaded.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/device_adapter.h"
#include "loading/loaded_lora.h"
#include "skald/engine.h"
#include "stepping/stepper.h"

namespace skald {

class AdapterMixes {
 public:
  /// `stepper` must outlive it. `own`: of requests that name none.
  AdapterMixes(const LoadedModel& model, Stepper& stepper, std::vector<LoraUse> own)
      : model_(model), stepper_(stepper), own_(std::move(own)) {}

  /// Throws as resolve() would for a request that names none.
  void check();
  /// Says what the request's adapters are in steps, and makes them part of its scope: pages of other adapters have other
  /// bits. From any thread. Throws kBadInput for an adapter of another model or a scale that is not finite, kUnsupported
  /// where steps cannot apply one.
  void resolve(Request& request);

 private:
  std::shared_ptr<const DeviceAdapter> adapted(const std::shared_ptr<const LoadedLora>& lora);

  struct Adapted {
    std::weak_ptr<const LoadedLora> lora;  // gone: no request can ask for it again
    std::shared_ptr<const DeviceAdapter> adapter;
  };

  const LoadedModel& model_;
  Stepper& stepper_;
  std::vector<LoraUse> own_;
  std::mutex mutex_;
  std::map<const LoadedLora*, Adapted> adapted_;
};

/// Returns how many of the prompt's first tokens have keys that requests of its scope share.
int64_t shareable(const Request& request);

}  // namespace skald
