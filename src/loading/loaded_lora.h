// LoadedLora: an adapter with its model, for the public Lora.
#pragma once

#include <memory>

#include "adapters/adapter.h"
#include "base/digest.h"
#include "loading/loaded_model.h"

namespace skald {

struct LoadedLora {
  std::shared_ptr<const LoadedModel> model;  // whose weights it changes
  std::shared_ptr<const Adapter> adapter;
  Sha256Sum sum;  // of the adapter's numbers
};

/// Loads an adapter of the model; throws as load_adapter() does.
std::shared_ptr<const LoadedLora> load_lora(const std::shared_ptr<const LoadedModel>& model, const std::string& path);

}  // namespace skald
