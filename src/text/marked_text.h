// MarkedText: bytes that remember, one by one, whether a trusted author wrote them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skald {

class MarkedText {
 public:
  MarkedText() = default;
  MarkedText(std::string bytes, bool trusted) : bytes_(std::move(bytes)), first_(trusted) {}

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  void append(std::string_view bytes, bool trusted);
  /// The bytes [begin, end) of `text`, which is another one.
  void append(const MarkedText& text, size_t begin, size_t end);
  void append(const MarkedText& text) { append(text, 0, text.size()); }
  MarkedText slice(size_t begin, size_t end) const;

  bool all_trusted() const { return bytes_.empty() || (first_ && flips_.empty()); }
  bool none_trusted() const { return bytes_.empty() || (!first_ && flips_.empty()); }
  /// Tells whether a trusted author wrote all of [begin, end).
  bool is_trusted(size_t begin, size_t end) const;
  /// Calls f(run, trusted) for the longest runs of bytes of one kind, in order.
  template <class F>
  void for_each_run(F&& f) const {
    for_each_run(0, bytes_.size(), f);
  }

 private:
  // The first flip after `at`.
  size_t flip_after(size_t at) const;
  bool trusted_before_flip(size_t flip) const { return first_ == (flip % 2 == 0); }
  template <class F>
  void for_each_run(size_t begin, size_t end, F& f) const {
    for (size_t flip = flip_after(begin); begin < end; ++flip) {
      const size_t stop = flip < flips_.size() && flips_[flip] < end ? flips_[flip] : end;
      f(std::string_view(bytes_).substr(begin, stop - begin), trusted_before_flip(flip));
      begin = stop;
    }
  }

  std::string bytes_;
  bool first_ = true;          // of the first byte
  std::vector<size_t> flips_;  // where the kind changes; rising, inside of the bytes
};

}  // namespace skald
