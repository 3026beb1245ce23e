// CpuAdapter: an adapter's matrices as the CPU multiplies by them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapters/adapter.h"
#include "backend/device_adapter.h"
#include "tensor/buffer.h"

namespace skald {

/// Columns of B that lie together: (tiles, rank, kLowRankTile), so that a thread reads them in one stream.
inline constexpr int64_t kLowRankTile = 128;

/// The change of one weight ([m,] n, k): y += scale * factor * (x A^T) B^T.
class CpuLowRank {
 public:
  /// Returns the bytes that it takes.
  static int64_t bytes_of(const LowRank& change);
  /// Lays the matrices out in `memory`, which must outlive it.
  CpuLowRank(const LowRank& change, std::byte* memory);

  int64_t rank() const { return rank_; }
  float factor() const { return factor_; }
  const Format& b_format() const { return *b_format_; }
  /// Returns A of a matrix: (rank, k), of the token table (n, rank).
  TensorView a(int64_t matrix = 0) const;
  /// Returns the first of B's tiles of a matrix, and the bytes of one.
  const std::byte* b(int64_t matrix = 0) const { return tiles_ + matrix * tiles_in_matrix_ * tile_bytes(); }
  int64_t tile_bytes() const { return b_format_->bytes(rank_ * kLowRankTile); }

 private:
  TensorView a_;
  const Format* b_format_;
  float factor_;
  int64_t rank_, tiles_in_matrix_;
  std::byte* tiles_;
};

/// Numbers for the weights that adapters change.
class SiteNumbers {
 public:
  /// Returns the name's number, a new one where it is new; from any thread.
  int of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, int> numbers_;
};

class CpuAdapter : public DeviceAdapter {
 public:
  CpuAdapter(const Adapter& adapter, SiteNumbers& numbers);

  /// Returns the change of a weight by its number; null where there is none.
  const CpuLowRank* at(int site) const {
    return site >= 0 && static_cast<size_t>(site) < changes_.size() ? changes_[static_cast<size_t>(site)].get() : nullptr;
  }
  int64_t bytes() const override { return memory_.size(); }

 private:
  Buffer memory_;                                           // of all changes: large pages
  std::vector<std::unique_ptr<const CpuLowRank>> changes_;  // by number
};

}  // namespace skald
