// Variants at work on a device: over memory full of random numbers that no cache holds at once.
#pragma once

#include <functional>
#include <vector>

#include "backend/gpu/memory.h"
#include "bench/gpu/sweep/variants.h"

namespace skald::gpu {

/// Random numbers, the same on every device. As floats of 16 or 32 bits they are between 0 and 2.
class Pool {
 public:
  Pool(Device& device, int64_t bytes);
  /// Some bytes, others in each turn until the pool ends.
  std::byte* at(int64_t turn, int64_t bytes) const;
  int64_t size() const { return data_.size(); }

 private:
  GpuBuffer data_;
};

/// Row products of an (n, k) weight.
class ProductTrial {
 public:
  ProductTrial(Device& device, const Pool& pool, uint32_t format, int64_t n, int64_t k);
  int64_t bytes() const { return bytes_; }
  void launch(const ProductVariant& variant, int64_t turn) const;
  /// (n): of the last launch.
  std::vector<float> result() const;

 private:
  Device& device_;
  const Pool& pool_;
  int64_t n_, bytes_;
  ProductArgs args_;
  GpuBuffer count_, out_;
};

/// A model's attention of one row, in heads of kPartsColumns columns with f16 keys and values.
struct PartsShape {
  int64_t kv_heads = 8, group = 4;
  int64_t keys = 0;
};
class PartsTrial {
 public:
  PartsTrial(Device& device, const Pool& pool, const PartsShape& shape);
  int64_t bytes() const { return bytes_; }
  void launch(const PartsVariant& variant, int64_t turn) const;
  /// (heads, kPartsColumns): of the last launch.
  std::vector<float> result() const;

 private:
  void point_at_pages(const Pool& pool, const PartsShape& shape, int64_t sequences);

  Device& device_;
  int64_t bytes_, sequences_;
  AttentionArgs args_;
  GpuBuffer count_, pages_, views_, positions_, numbers_, parts_, counters_, out_;
};

/// Seconds of one launch, of many one after another: the least of some rounds of about `seconds` each.
double seconds_of(Device& device, double seconds, const std::function<void(int64_t turn)>& launch);

}  // namespace skald::gpu
