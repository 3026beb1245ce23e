#include "tests/no_memory/failing_allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>

namespace skald::test {
namespace {

std::atomic<bool> armed{false};
std::atomic<int64_t> allocations{0}, first_failure{0}, last_failure{0};
thread_local bool is_spared = false;

bool fails() {
  if (is_spared || !armed.load(std::memory_order_relaxed)) return false;
  const int64_t number = allocations.fetch_add(1, std::memory_order_relaxed);
  return number >= first_failure.load(std::memory_order_relaxed) && number < last_failure.load(std::memory_order_relaxed);
}

void* allocated(size_t bytes, size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const size_t size = std::max<size_t>((bytes + alignment - 1) / alignment * alignment, alignment);
  void* const out = alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? std::aligned_alloc(alignment, size) : std::malloc(size);
  if (!out) throw std::bad_alloc();
  return out;
}

}  // namespace

FailingAllocations::FailingAllocations(int64_t first, int64_t count) {
  allocations = 0;
  first_failure = first;
  last_failure = first + count;
  armed = true;
}

FailingAllocations::~FailingAllocations() { armed = false; }

int64_t FailingAllocations::seen() const { return allocations; }

Spared::Spared(bool spared) : before_(is_spared) { is_spared = spared; }
Spared::~Spared() { is_spared = before_; }

void for_failures(int64_t samples, const std::function<void(int64_t first, int64_t count)>& work) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 2;
  constexpr std::array<int64_t, 6> kCounts = {1, 1, 3, 1, 30, 1000};
  work(kNever, 0);
  const int64_t all = allocations;
  const char* const wanted = std::getenv("SKALD_NO_MEMORY");  // NOLINT(concurrency-mt-unsafe): nothing writes it
  const int64_t step = wanted && std::string_view(wanted) == "all" ? 1 : std::max<int64_t>(1, all / samples);
  int64_t turn = 0;
  for (int64_t first = 0; first < all; first += step, ++turn)
    work(first + turn % std::max<int64_t>(step, 1) * 7 % step, kCounts[static_cast<size_t>(turn) % kCounts.size()]);
}

}  // namespace skald::test

void* operator new(size_t bytes) { return skald::test::allocated(bytes, 1); }
void* operator new[](size_t bytes) { return skald::test::allocated(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return skald::test::allocated(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return skald::test::allocated(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
