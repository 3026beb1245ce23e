// The roofline: every loop that this processor can run competes in short windows, all threads at once.
#include "backend/cpu/roofline.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "backend/cpu/roofline_loops.h"
#include "base/checked.h"
#include "base/cpu_features.h"
#include "base/cpu_topology.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/paging.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWindows = 10;         // for each loop, in turns, so that all loops see the same weather
constexpr int64_t kRounds = 4096;    // of a peak loop between looks at the clock: some 20 us
constexpr int64_t kChunk = 2 << 20;  // bytes read between looks at the clock: 50 to 200 us; also a huge page
constexpr int64_t kLeastBuffer = int64_t{512} << 20, kMostBuffer = int64_t{4} << 30;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Enough that caches hold hardly any of it: each thread may have a last-level cache of its own.
int64_t buffer_size(int threads) {
  const int64_t caches = last_level_cache_bytes() * std::max(threads, 8);
  return std::clamp(caches, kLeastBuffer, kMostBuffer);
}

// Anonymous memory in huge pages where the system grants them, each thread's contiguous part touched by that thread first.
class StreamBuffer {
 public:
  StreamBuffer(ThreadPool& pool, int64_t bytes) {
    if (bytes == 0) bytes = buffer_size(pool.size());
    bytes = std::min(bytes, available_memory() / 8);
    part_ = std::max<int64_t>(bytes / pool.size() / kChunk, 1) * kChunk;
    mapped_ = part_ * pool.size() + kChunk;
    base_ = mmap(nullptr, static_cast<size_t>(mapped_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) fail(Errc::kNoMemory, "mapping {} MB to measure the read bandwidth", mapped_ >> 20);
    const auto address = reinterpret_cast<uintptr_t>(base_);
    data_ =
        static_cast<std::byte*>(base_) + (round_up(static_cast<int64_t>(address), kChunk) - static_cast<int64_t>(address));
    want_huge_pages({data_, static_cast<size_t>(part_ * pool.size())});
    pool.run([&](int thread) {
      const std::span<std::byte> own(data_ + thread * part_, static_cast<size_t>(part_));
      if (!get_pages(own)) std::memset(own.data(), 1, own.size());
    });
  }
  ~StreamBuffer() { munmap(base_, static_cast<size_t>(mapped_)); }
  StreamBuffer(const StreamBuffer&) = delete;
  StreamBuffer& operator=(const StreamBuffer&) = delete;

  const std::byte* of(int thread) const { return data_ + thread * part_; }
  int64_t part() const { return part_; }  // bytes for each thread, a multiple of kChunk

 private:
  void* base_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t part_ = 0, mapped_ = 0;
};

// A loop that competes for a figure of the roofline; chunk(thread) does `amount` billions of the figure's unit.
struct Candidate {
  double Roofline::*figure;
  double amount;
  std::function<void(int thread)> chunk;
  std::vector<double> rates = {};  // one for each window
};

struct alignas(64) Count {
  int64_t chunks = 0;
};

// One window: threads work until its end, and a thread that comes late makes the window as much longer.
double rate(ThreadPool& pool, const Candidate& c, double seconds) {
  std::vector<Count> counts(static_cast<size_t>(pool.size()));
  pool.run([](int) {});  // wakes the workers
  const Clock::time_point start = Clock::now();
  pool.run([&](int thread) {
    int64_t chunks = 0;
    do {
      c.chunk(thread);
      ++chunks;
    } while (seconds_since(start) < seconds);
    counts[static_cast<size_t>(thread)].chunks = chunks;
  });
  const double elapsed = seconds_since(start);
  int64_t chunks = 0;
  for (const Count& count : counts) chunks += count.chunks;
  return static_cast<double>(chunks) * c.amount / elapsed;
}

double median(std::vector<double> rates) {
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

// Operands like those of real work (zeros draw less power, hence run at higher clocks): small numbers of both signs. Read as
// f32 or bf16 they are normal and below 1, hence sums stay finite.
struct alignas(64) Operands {
  std::array<uint16_t, 64> words = {};
  Operands() {
    uint32_t state = 1;
    for (uint16_t& word : words) {
      state = state * 1664525 + 1013904223;
      word = static_cast<uint16_t>((state >> 16 & 0x80ff) | 0x3e00);
    }
  }
};

void add_peaks(std::vector<Candidate>& to, std::span<const PeakLoop> loops, double Roofline::*figure, const Operands& x) {
  const CpuFeatures features = cpu_features();
  for (const PeakLoop& loop : loops)
    if (loop.supported(features))
      to.push_back({figure, loop.ops_per_round * kRounds * 1e-9, [&](int) { loop.run(kRounds, &x); }});
}

// Each thread goes round its part of the buffer, from window to window and loop to loop: `at` holds its place.
void add_reads(std::vector<Candidate>& to, const StreamBuffer& buffer, std::vector<Count>& at) {
  const CpuFeatures features = cpu_features();
  for (const ReadLoop& loop : read_loops())
    if (loop.supported(features))
      to.push_back({&Roofline::read_gb_per_s, kChunk * 1e-9, [&](int thread) {
                      int64_t& chunk = at[static_cast<size_t>(thread)].chunks;
                      loop.run(buffer.of(thread) + chunk * kChunk, kChunk);
                      chunk = (chunk + 1) % (buffer.part() / kChunk);
                    }});
}

}  // namespace

Roofline measure_roofline(ThreadPool& pool, double seconds, int64_t buffer_bytes) {
  const Operands operands;
  const StreamBuffer buffer(pool, buffer_bytes);
  std::vector<Count> at(static_cast<size_t>(pool.size()));
  std::vector<Candidate> candidates;
  add_peaks(candidates, f32_loops(), &Roofline::f32_gflop_per_s, operands);
  add_peaks(candidates, bf16_loops(), &Roofline::bf16_gflop_per_s, operands);
  add_peaks(candidates, int16_loops(), &Roofline::int16_gop_per_s, operands);
  add_peaks(candidates, int8_loops(), &Roofline::int8_gop_per_s, operands);
  add_reads(candidates, buffer, at);

  const double window = seconds / (kWindows * static_cast<double>(candidates.size()));
  for (int i = 0; i < kWindows; ++i)
    for (Candidate& c : candidates) c.rates.push_back(rate(pool, c, window));

  Roofline best;
  for (const Candidate& c : candidates) best.*c.figure = std::max(best.*c.figure, median(c.rates));
  return best;
}

}  // namespace skald
