// The program's own pthread functions stand before those of the C library and of the thread sanitizer, and call these.
#include "tests/delays/random_delays.h"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <atomic>

namespace skald::test {
namespace {

std::atomic<uint64_t> seed_of_all = 0;  // 0: no delays
std::atomic<int64_t> sleeps = 0;
thread_local uint64_t state = 0;
thread_local int punctual = 0;

// Xorshift (Marsaglia, 2003) of the thread, begun with the place of its own variable, which differs from thread to thread.
uint64_t next(uint64_t seed) {
  if (state == 0) state = seed ^ (reinterpret_cast<uintptr_t>(&state) * 0x9e3779b97f4a7c15);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// One in 32 hand-overs takes up to 0.2 ms longer, one in 4,096 up to 4 ms.
void delay() {
  const uint64_t seed = seed_of_all.load(std::memory_order_relaxed);
  if (seed == 0 || punctual > 0) return;
  const uint64_t random = next(seed);
  const bool is_long = random % 4096 == 0;
  if (random % 32 != 0) return;
  const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>((random >> 32) % (is_long ? 4000000 : 200000))};
  sleeps.fetch_add(1, std::memory_order_relaxed);
  nanosleep(&time, nullptr);
}

}  // namespace

RandomDelays::RandomDelays(uint64_t seed) { seed_of_all = seed | 1; }
RandomDelays::~RandomDelays() { seed_of_all = 0; }
int64_t RandomDelays::count() { return sleeps; }

Punctual::Punctual() { ++punctual; }
Punctual::~Punctual() { --punctual; }

}  // namespace skald::test

namespace {

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

using OfMutex = int (*)(pthread_mutex_t*);
using OfCondition = int (*)(pthread_cond_t*);

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto call = real<OfMutex>("pthread_mutex_lock");
  skald::test::delay();
  return call(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static const auto call = real<OfMutex>("pthread_mutex_unlock");
  const int result = call(mutex);
  skald::test::delay();
  return result;
}

int pthread_cond_signal(pthread_cond_t* condition) {
  static const auto call = real<OfCondition>("pthread_cond_signal");
  skald::test::delay();
  return call(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  static const auto call = real<OfCondition>("pthread_cond_broadcast");
  skald::test::delay();
  return call(condition);
}
}
