// Locking memory: which pages are locked, and the log where the system refuses.
#include "base/memory_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "base/memory.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr size_t kBytes = size_t{1} << 20;

// Fresh pages, not touched.
class Pages {
 public:
  explicit Pages(size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), bytes_}; }

 private:
  void* data_;
  size_t bytes_;
};

// As a user without privileges, with this limit: capabilities belong to the thread, which ends here.
template <class Body>
void with_limit(rlim_t limit, Body body) {
  std::thread([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct caps[2];
    ASSERT_EQ(syscall(SYS_capget, &header, caps), 0);
    caps[0].effective &= ~(1U << CAP_IPC_LOCK);
    ASSERT_EQ(syscall(SYS_capset, &header, caps), 0);
    rlimit before{};
    getrlimit(RLIMIT_MEMLOCK, &before);
    const rlimit now{limit, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &now), 0);
    body();
    setrlimit(RLIMIT_MEMLOCK, &before);
  }).join();
}

TEST(MemoryLock, LocksWhatItMay) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers let mlock do nothing";
  const Pages pages(64 << 10);
  with_limit(512 << 10, [&] {
    const int64_t before = locked_memory();
    MemoryLock lock("the cache", 64 << 10);
    EXPECT_TRUE(lock.lock(pages.bytes()));
    EXPECT_EQ(locked_memory(), before + (64 << 10));
    EXPECT_TRUE(lock.lock({}));
  });
}

TEST(MemoryLock, SaysOnceWhatItWouldTake) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers let mlock do nothing";
  const Pages pages(kBytes), other(4096);
  with_limit(64 << 10, [&] {
    MemoryLock lock("the cache", int64_t{3} << 20);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(lock.lock(pages.bytes()));
    EXPECT_FALSE(lock.lock(other.bytes())) << "small enough, but too late";
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, AllOf(HasSubstr("cannot lock the cache"), HasSubstr("RLIMIT_MEMLOCK is 0.1 MiB"), HasSubstr("3.0 MiB"),
                           HasSubstr("ulimit -l"), HasSubstr("Going on without")));
    EXPECT_EQ(log.find("cannot lock"), log.rfind("cannot lock"));
  });
}

TEST(MemoryLock, LeavesMoreThanThereIsAlone) {
  const Pages pages(size_t{1} << 45);
  MemoryLock lock("the weights", int64_t{1} << 45);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(lock.lock(pages.bytes()));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("the weights stay unlocked"), HasSubstr("available"), Not(HasSubstr("RLIMIT"))));
}

}  // namespace
}  // namespace skald
