#include "tests/no_memory/failing_allocator.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"

namespace skald::test {
namespace {

std::atomic<bool> armed{false};
std::atomic<int64_t> allocations{0}, first_failure{0}, last_failure{0};
thread_local bool is_spared = false;

// Code of this program, from its first byte to the end of its last.
struct Code {
  uintptr_t begin, end;
};

uintptr_t base_of_program() {
  uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uintptr_t*>(out) = info->dlpi_addr;  // the program comes first
        return 1;
      },
      &base);
  return base;
}

// Functions whose names have one of these parts, from the program's own table of symbols.
std::vector<Code> code_named(std::initializer_list<std::string_view> parts) {
  const FileBytes file = FileBytes::open("/proc/self/exe", FileBytes::How::kRead);
  const std::span<const std::byte> bytes = file.bytes();
  const auto at = [&]<class T>(uint64_t offset, const T*) { return reinterpret_cast<const T*>(bytes.data() + offset); };
  const auto* const head = at(0, static_cast<const Elf64_Ehdr*>(nullptr));
  const auto* const sections = at(head->e_shoff, static_cast<const Elf64_Shdr*>(nullptr));
  std::vector<Code> out;
  for (int i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = at(sections[i].sh_offset, static_cast<const Elf64_Sym*>(nullptr));
    const auto* const names = at(sections[sections[i].sh_link].sh_offset, static_cast<const char*>(nullptr));
    for (uint64_t s = 0; s < sections[i].sh_size / sizeof(Elf64_Sym); ++s) {
      const std::string_view name = names + symbols[s].st_name;
      if (std::ranges::none_of(parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; }))
        continue;
      const uintptr_t begin = base_of_program() + symbols[s].st_value;
      out.push_back({begin, begin + symbols[s].st_size});
    }
  }
  return out;
}

// Of the JSON library, what its destructor consists of.
bool is_json_destructor(uintptr_t caller) {
  static const std::vector<Code> code = [] {
    const Spared spared;
    return code_named({"json_value7destroy", "St6vectorIN8nlohmann"});
  }();
  return std::ranges::any_of(code, [&](const Code& c) { return caller >= c.begin && caller < c.end; });
}

bool fails(const void* caller) {
  if (is_spared || !armed.load(std::memory_order_relaxed)) return false;
  if (is_json_destructor(reinterpret_cast<uintptr_t>(caller))) return false;
  const int64_t number = allocations.fetch_add(1, std::memory_order_relaxed);
  return number >= first_failure.load(std::memory_order_relaxed) && number < last_failure.load(std::memory_order_relaxed);
}

void* allocated(size_t bytes, size_t alignment, const void* caller) {
  if (fails(caller)) throw std::bad_alloc();
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
  if (const char* const wanted = std::getenv("SKALD_NO_MEMORY"))  // NOLINT(concurrency-mt-unsafe): nothing writes it
    samples = std::string_view(wanted) == "all" ? all : std::max<int64_t>(1, std::atoll(wanted));
  const int64_t step = std::max<int64_t>(1, all / samples);
  int64_t turn = 0;
  for (int64_t first = 0; first < all; first += step, ++turn)
    work(first + turn * 7 % step, kCounts[static_cast<size_t>(turn) % kCounts.size()]);
}

}  // namespace skald::test

void* operator new(size_t bytes) { return skald::test::allocated(bytes, 1, __builtin_return_address(0)); }
void* operator new[](size_t bytes) { return skald::test::allocated(bytes, 1, __builtin_return_address(0)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return skald::test::allocated(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return skald::test::allocated(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
