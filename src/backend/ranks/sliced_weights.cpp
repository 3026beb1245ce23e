#include "backend/ranks/sliced_weights.h"

#include <cstring>

#include "base/error.h"

namespace skald {

WeightPlace SlicedWeights::place(std::string_view name) const {
  const auto at = slices_.find(std::string(name));
  if (at == slices_.end()) return all_.place(name);
  const WeightSlice& slice = at->second;
  const std::lock_guard lock(mutex_);
  if (const auto copy = copies_.find(name); copy != copies_.end()) return copy->second.data();
  const WeightPlace whole = all_.place(slice.of);
  if (!whole.rows)
    fail(Errc::kUnsupported, "tensor {}: a file of panels (skald pack) cannot be divided over ranks: use the one before",
         slice.of);
  const std::vector<Slice> pieces = slice.pieces();
  if (pieces.size() == 1) return whole.rows + pieces[0].first;
  Buffer& copy = copies_[std::string(name)] = Buffer(slice.desc().bytes());
  std::byte* to = copy.data();
  for (const Slice& piece : pieces) {
    std::memcpy(to, whole.rows + piece.first, static_cast<size_t>(piece.n));
    to += piece.n;
  }
  all_.release(slice.of);
  return copy.data();
}

bool SlicedWeights::in_panels(std::string_view name) const {
  const auto at = slices_.find(std::string(name));
  return all_.in_panels(at == slices_.end() ? name : std::string_view(at->second.of));
}

void SlicedWeights::release(std::string_view name) const {
  const auto at = slices_.find(std::string(name));
  if (at == slices_.end()) return all_.release(name);
  const std::lock_guard lock(mutex_);
  if (const auto copy = copies_.find(name); copy != copies_.end())
    copies_.erase(copy);
  else
    all_.release(at->second.of);
}

}  // namespace skald
