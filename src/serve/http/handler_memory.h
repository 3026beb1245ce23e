// The memory of an operation that Asio does again and again, so that asking for it once more takes none.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace skald::serve {

/// Of one operation at a time; larger blocks come from the heap. It must outlive the operation.
class HandlerMemory {
 public:
  void* allocate(size_t bytes) {
    if (used_ || bytes > bytes_.size()) return ::operator new(bytes);
    used_ = true;
    return bytes_.data();
  }
  void deallocate(void* at) {
    if (at == bytes_.data())
      used_ = false;
    else
      ::operator delete(at);
  }

 private:
  static constexpr size_t kBytes = 256;
  alignas(std::max_align_t) std::array<std::byte, kBytes> bytes_;
  bool used_ = false;
};

template <class T>
struct HandlerAllocator {
  using value_type = T;
  explicit HandlerAllocator(HandlerMemory& of) : memory(&of) {}
  template <class U>
  HandlerAllocator(const HandlerAllocator<U>& other) : memory(other.memory) {}  // NOLINT: as allocators have it

  T* allocate(size_t n) { return static_cast<T*>(memory->allocate(n * sizeof(T))); }
  void deallocate(T* at, size_t) { memory->deallocate(at); }
  template <class U>
  bool operator==(const HandlerAllocator<U>& other) const {
    return memory == other.memory;
  }

  HandlerMemory* memory;
};

/// A handler whose operation lies there.
template <class F>
struct HandlerIn {
  using allocator_type = HandlerAllocator<std::byte>;
  allocator_type get_allocator() const noexcept { return allocator_type(*memory); }
  template <class... Args>
  void operator()(Args&&... args) {
    f(std::forward<Args>(args)...);
  }

  HandlerMemory* memory;
  F f;
};
template <class F>
HandlerIn(HandlerMemory*, F) -> HandlerIn<F>;

}  // namespace skald::serve
