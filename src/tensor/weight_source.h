// WeightSource: where a model's weights come from. Backends load from it and share what they made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace skald {

/// Where a weight's data lies; the shape and format are the graph's.
struct WeightPlace {
  const std::byte* rows =
      nullptr;  // null where the file has panels only, or where only matmuls want it and they have panels
  const std::byte* panels = nullptr;  // quant/panels.h; null where it was not packed

  WeightPlace(const std::byte* rows, const std::byte* panels = nullptr) : rows(rows), panels(panels) {}
};

/// A model's weights as a backend keeps them. Engines of one model share them.
class DeviceWeights {
 public:
  virtual ~DeviceWeights() = default;
  /// Bytes that steps read, mapped from a file or not. A weight that is kept in two forms counts twice.
  virtual int64_t bytes() const = 0;
};

class WeightSource {
 public:
  using Load = std::function<std::shared_ptr<const DeviceWeights>()>;

  virtual ~WeightSource() = default;
  /// Throws kUnsupported naming a weight whose rows were released for good.
  virtual WeightPlace place(std::string_view name) const = 0;
  /// Whether the source has its panels; that costs nothing.
  virtual bool in_panels(std::string_view) const { return false; }
  /// The rows are not read again: memory that holds only them goes back to the system.
  virtual void release(std::string_view) const {}
  /// Sums up all weights, before any is released; empty where that is not known.
  virtual std::string mark() const { return {}; }
  /// Whether the rows lie in a file, so that a copy of them is memory in addition.
  virtual bool in_file() const { return false; }
  /// What was loaded under this key before, else what `load` gives. Calls from several threads wait for each other.
  virtual std::shared_ptr<const DeviceWeights> shared(const std::string& key, const Load& load) const = 0;
};

/// Rows in memory of the caller; nothing is shared.
class LookupWeights : public WeightSource {
 public:
  using Lookup = std::function<WeightPlace(std::string_view name)>;
  explicit LookupWeights(Lookup lookup) : lookup_(std::move(lookup)) {}
  WeightPlace place(std::string_view name) const override { return lookup_(name); }
  std::shared_ptr<const DeviceWeights> shared(const std::string&, const Load& load) const override { return load(); }

 private:
  Lookup lookup_;
};

}  // namespace skald
