// SlicedWeights: a rank's parts of a model's weights, as a source of weights of its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "graph/weight_slice.h"
#include "tensor/buffer.h"
#include "tensor/weight_source.h"

namespace skald {

class SlicedWeights : public WeightSource {
 public:
  /// `all` must outlive it. Weights that are no slices are those of `all`.
  SlicedWeights(const WeightSource& all, std::map<std::string, WeightSlice> slices)
      : all_(all), slices_(std::move(slices)) {}

  /// A slice of whole rows lies where the weight does; another one is copied. Throws kUnsupported naming a weight of which
  /// there are panels only.
  WeightPlace place(std::string_view name) const override;
  bool in_panels(std::string_view name) const override;
  void release(std::string_view name) const override;
  bool in_file() const override { return all_.in_file(); }
  /// Nothing is: copies live as long as this source.
  std::shared_ptr<const DeviceWeights> shared(const std::string&, const Load& load) const override { return load(); }

 private:
  const WeightSource& all_;
  std::map<std::string, WeightSlice> slices_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Buffer, std::less<>> copies_;
};

}  // namespace skald
