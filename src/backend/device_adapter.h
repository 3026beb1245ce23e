// DeviceAdapter: an adapter in the form in which a backend multiplies by it; and which rows of a step it changes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace skald {

class DeviceAdapter {
 public:
  virtual ~DeviceAdapter() = default;
  /// Returns the bytes of its matrices.
  virtual int64_t bytes() const = 0;
};

/// An adapter, how much of it counts, and the first token of its sequence that it changes.
struct AdapterUse {
  std::shared_ptr<const DeviceAdapter> adapter;
  float scale = 1;
  int64_t from = 0;
};

/// The adapters of a sequence, whose changes add up.
struct AdapterMix {
  std::vector<AdapterUse> uses;
  int64_t own_from = std::numeric_limits<int64_t>::max();  // from this token on no other sequence takes its keys
};

/// Neighbouring rows that an adapter changes by one scale.
struct AdaptedRows {
  int64_t first, n;
  const DeviceAdapter* adapter;
  float scale;

  int64_t end() const { return first + n; }
};

/// The adapters of a step's rows; those of a row in the order of its mix.
struct StepAdapters {
  std::vector<AdaptedRows> tokens, outputs;

  bool empty() const { return tokens.empty(); }
};

}  // namespace skald
