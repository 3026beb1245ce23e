// Head: the layers after pooled states, on a backend.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "loading/loaded_model.h"

namespace skald {

class Head {
 public:
  /// The model's classifier, or its dense layers. `model` and `backend` must outlive it.
  Head(const LoadedModel& model, Backend& backend, bool scores);

  /// Returns the numbers that it gives for a text.
  int64_t width() const { return width_; }
  /// Of pooled states (d_states) of each text: (texts, width); as they are where the file has no such layers.
  std::vector<float> run(std::span<const std::vector<float>> pooled);

 private:
  Program& program(int64_t texts);

  const LoadedModel& model_;
  Backend& backend_;
  const bool scores_;
  std::shared_ptr<const DeviceWeights> weights_;
  int64_t width_;
  bool empty_;
  std::map<int64_t, std::unique_ptr<Program>> programs_;  // by the texts that they take at most
  std::unique_ptr<DeviceBuffer> rows_;
};

}  // namespace skald
