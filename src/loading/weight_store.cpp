#include "loading/weight_store.h"

#include <algorithm>
#include <cstring>

#include "base/cpu_features.h"
#include "base/error.h"
#include "base/paging.h"
#include "base/thread_pool.h"
#include "convert/conversion.h"
#include "loading/layouts.h"
#include "loading/model_sum.h"

namespace skald {

WeightStore::WeightStore(Gguf gguf) {
  for (const GgufTensor& t : gguf.tensors())
    weights_.weights.emplace(t.name, WeightSet::Weight{t.type, t.shape, t.data.data(), static_cast<int64_t>(t.data.size())});
  file_bytes_ = gguf.is_mapped() ? weights_.bytes() : 0;
  unify_layouts(weights_);
  gguf_ = std::move(gguf);
}

WeightStore::WeightStore(WeightSet weights, std::vector<Buffer> memory)
    : memory_(std::move(memory)), weights_(std::move(weights)) {
  if (memory_.empty()) return;  // the bytes are the caller's
  for (const auto& [name, w] : weights_.weights) made_.insert(name);
}

WeightStore::WeightStore(std::unique_ptr<const Conversion> conversion, bool in_place, const OnProgress& on_progress)
    : conversion_(std::move(conversion)) {
  const auto place_of = [&](const Conversion::Tensor& tensor) {
    return in_place ? conversion_->in_place(tensor) : std::nullopt;
  };
  int64_t made = 0, total = 0;
  for (const Conversion::Tensor& tensor : conversion_->tensors())
    if (!place_of(tensor)) total += tensor.desc.bytes();
  const auto tell = [&] {
    if (on_progress && total > 0) on_progress(made, total);
  };
  tell();
  ThreadPool pool(usable_cpus());
  for (const Conversion::Tensor& tensor : conversion_->tensors()) {
    const std::optional<std::span<const std::byte>> there = place_of(tensor);
    const std::byte* data = there ? there->data() : nullptr;
    if (there) {
      file_bytes_ += static_cast<int64_t>(there->size());
    } else {
      const Buffer& buffer = memory_.emplace_back(tensor.desc.bytes());
      made_.insert(tensor.name);
      data = buffer.data();
      conversion_->give(tensor, pool, [&, to = buffer.data()](std::span<const std::byte> piece) mutable {
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
        made += std::ssize(piece);
        tell();
      });
    }
    const GgufType* type = find_gguf_type(tensor.desc.format->id);
    weights_.weights.emplace(tensor.name, WeightSet::Weight{type, tensor.desc.shape, data, tensor.desc.bytes()});
  }
}

WeightStore::~WeightStore() = default;

void WeightStore::add(Gguf more) {
  more_ = std::move(more);
  for (const GgufTensor& t : more_->tensors())
    weights_.weights.insert_or_assign(
        t.name, WeightSet::Weight{t.type, t.shape, t.data.data(), static_cast<int64_t>(t.data.size())});
}

void WeightStore::add(const std::string& name, std::span<const float> values) {
  const Buffer& buffer = memory_.emplace_back(static_cast<int64_t>(values.size_bytes()));
  std::memcpy(memory_.back().data(), values.data(), values.size_bytes());
  const WeightSet::Weight weight{find_gguf_type(format_f32.id), Shape{std::ssize(values)}, buffer.data(), buffer.size()};
  weights_.weights.insert_or_assign(name, weight);
  added_.insert(name);
}

void WeightStore::replace(const std::string& name, const TensorDesc& desc, Buffer rows) {
  const Buffer& buffer = memory_.emplace_back(std::move(rows));
  joined_.erase(name);
  weights_.weights.insert_or_assign(
      name, WeightSet::Weight{find_gguf_type(desc.format->id), desc.shape, buffer.data(), desc.bytes()});
  added_.insert(name);
}

const std::byte* WeightStore::rows(const std::string& name) const {
  const WeightSet::Weight& w = weights_.weights.at(name);
  if (w.type->panels) fail(Errc::kUnsupported, "tensor {} lies in panels, which cannot be changed", name);
  return w.pieces.empty() ? w.data : join(name).rows;
}

const Sha256Sum& WeightStore::sum() const {
  const std::lock_guard lock(places_mutex_);
  if (sum_) return *sum_;
  if (!released_.empty())
    fail(Errc::kUnsupported, "what the model's weights were is gone: {} was repacked for an engine and given back",
         *released_.begin());
  return sum_.emplace(weight_sum(weights_));
}

WeightPlace WeightStore::place(std::string_view name) const {
  const std::lock_guard lock(places_mutex_);
  if (released_.contains(std::string(name)))
    fail(
        Errc::kUnsupported,
        "tensor {}: its rows were repacked for an engine with other options and given back; map the file (mmap) to run both",
        name);
  ++readers_[std::string(name)];
  return weights_.weights.at(std::string(name)).pieces.empty() ? weights_.place(name) : join(name);
}

// The pieces as one, in memory of ours.
WeightPlace WeightStore::join(std::string_view name) const {
  const WeightSet::Weight& w = weights_.weights.at(std::string(name));
  Buffer& buffer = joined_[std::string(name)];
  if (!buffer.data()) {
    buffer = Buffer(w.bytes);
    std::byte* to = buffer.data();
    for (const std::span<const std::byte> piece : w.pieces) to = std::ranges::copy(piece, to).out;
  }
  return buffer.data();
}

void WeightStore::release(std::string_view name) const {
  const std::lock_guard lock(places_mutex_);
  if (--readers_[std::string(name)] > 0) return;  // another engine reads the rows where they lie
  if (joined_.erase(std::string(name)) || added_.contains(std::string(name))) return;
  if (gguf_) {
    if (more_ && more_->find(name)) return;  // it came with a calibration
    if (gguf_->give_back(*gguf_->find(name))) released_.emplace(name);
    return;
  }
  const bool made = made_.contains(std::string(name));
  if (!made && !conversion_) return;
  const WeightSet::Weight& w = weights_.weights.at(std::string(name));
  give_back({w.data, static_cast<size_t>(w.bytes)});
  if (made) released_.emplace(name);
}

std::shared_ptr<const DeviceWeights> WeightStore::shared(const std::string& key, const Load& load) const {
  const std::lock_guard lock(shared_mutex_);
  std::shared_ptr<const DeviceWeights>& weights = shared_[key];
  if (!weights) weights = load();
  return weights;
}

}  // namespace skald
