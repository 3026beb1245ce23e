// KeySelector: chooses the keys of a row on one KV head that are attended to. It works in stages, each of which is cut into
// parts that may run side by side. Its result does not depend on how they were cut. A file per selector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// Ways in which keys may be cut at the most.
inline constexpr int64_t kMaxSelectorWidth = 64;

class KeySelector {
 public:
  virtual ~KeySelector() = default;

  /// Run in order, the parts of each in any.
  virtual size_t stages() const = 0;
  virtual int64_t parts(size_t stage) const = 0;
  virtual void run(size_t stage, int64_t part) = 0;
  /// Returns whether a stage scores keys, or chooses among them.
  virtual bool scores(size_t stage) const = 0;

  // The result, after the last stage.

  virtual const int32_t* keys() const = 0;  // (n_keys) candidates, ascending
  virtual int64_t n_keys() const = 0;
  /// (group): the share of the softmax of approximate scores that the keys have, where the mean value stands in for the
  /// others; else null.
  virtual const float* alphas() const = 0;
  /// Returns the bytes that were read to find them: of the keys' copy by dimensions, or of bounds.
  virtual double bytes_read() const = 0;
};

}  // namespace skald
