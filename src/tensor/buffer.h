// Buffer: zeroed, page aligned memory with one owner; 2 MiB and more begin at and ask for huge pages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

class Buffer {
 public:
  Buffer() = default;
  /// Throws kNoMemory saying how much was wanted. Pages are touched only when used.
  explicit Buffer(int64_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace skald
