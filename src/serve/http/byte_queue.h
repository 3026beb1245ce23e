// Bytes that have come and are not read yet.
#pragma once

#include <string>
#include <string_view>

namespace skald::serve {

class ByteQueue {
 public:
  std::string_view view() const { return std::string_view(bytes_).substr(start_); }
  size_t size() const { return bytes_.size() - start_; }
  bool empty() const { return size() == 0; }

  void append(std::string_view more) { bytes_.append(more); }

  /// Drops bytes at the front. The rest moves only when it is the smaller half, and an empty queue holds no memory.
  void consume(size_t count) {
    start_ += count;
    if (empty()) {
      bytes_ = {};
      start_ = 0;
    } else if (start_ > bytes_.size() / 2) {
      bytes_ = bytes_.substr(start_);
      start_ = 0;
    }
  }

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace skald::serve
