#include "backend/ranks/leader_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

/// Addresses of memory that other ranks have.
class ReservedRange : public DeviceBuffer {
 public:
  explicit ReservedRange(int64_t bytes) : bytes_(bytes) {
    void* const at =
        mmap(nullptr, static_cast<size_t>(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) fail(Errc::kNoMemory, "no addresses for {} bytes of other ranks", bytes);
    at_ = static_cast<std::byte*>(at);
  }
  ~ReservedRange() override { munmap(at_, static_cast<size_t>(bytes_)); }
  ReservedRange(const ReservedRange&) = delete;
  ReservedRange& operator=(const ReservedRange&) = delete;

  std::byte* data() const override { return at_; }
  int64_t size() const override { return bytes_; }

 private:
  int64_t bytes_;
  std::byte* at_;
};

class LeaderBuffer : public DeviceBuffer {
 public:
  LeaderBuffer(std::unique_ptr<DeviceBuffer> own, Orders& orders, int stage)
      : own_(std::move(own)), orders_(orders), stage_(stage) {
    orders_.add(Order::kAllocate, [this](ByteWriter& w) {
      w.put(stage_);
      w.put(own_->data());
      w.put(own_->size());
    });
  }
  ~LeaderBuffer() override {
    orders_.note(Order::kFree, [this](ByteWriter& w) {
      w.put(stage_);
      w.put(own_->data());
    });
  }
  LeaderBuffer(const LeaderBuffer&) = delete;
  LeaderBuffer& operator=(const LeaderBuffer&) = delete;

  std::byte* data() const override { return own_->data(); }
  int64_t size() const override { return own_->size(); }

 private:
  std::unique_ptr<DeviceBuffer> own_;
  Orders& orders_;
  int stage_;
};

/// The part of the memory that one of the other ranks has.
class OtherMemory : public DeviceMemory {
 public:
  OtherMemory(int rank, Orders& orders) : rank_(rank), orders_(orders) {}

  std::unique_ptr<DeviceBuffer> allocate(int64_t) override { no_part(); }
  void copy(std::byte*, const std::byte*, int64_t) override { no_part(); }
  void clear(std::byte* at, int64_t bytes) override {
    orders_.add(Order::kClearOf, [&](ByteWriter& w) {
      w.put(rank_);
      w.put(at);
      w.put(bytes);
    });
  }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { read_all({{{host, from, bytes}}}); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { write_all({{{to, host, bytes}}}); }
  void read_all(std::span<const Piece> pieces) override {
    if (bytes_of(pieces) == 0) return;
    const auto alone = orders_.alone();
    order(Order::kReadOf, pieces);
    std::vector<std::byte> all(static_cast<size_t>(bytes_of(pieces)));
    const Group::Receive answer{rank_, all};
    orders_.group().exchange({}, {&answer, 1});
    const std::byte* next = all.data();
    for_each_copy(pieces, [&](std::byte* to, const std::byte*, int64_t bytes) {
      std::memcpy(to, next, static_cast<size_t>(bytes));
      next += bytes;
    });
  }
  void write_all(std::span<const Piece> pieces) override {
    if (bytes_of(pieces) == 0) return;
    ByteWriter all;
    for_each_copy(pieces,
                  [&](std::byte*, const std::byte* from, int64_t n) { all.put_bytes(from, static_cast<size_t>(n)); });
    const auto alone = orders_.alone();
    order(Order::kWriteOf, pieces);
    const Group::Send message{rank_, all.bytes()};
    orders_.group().exchange({&message, 1}, {});
  }
  bool host_visible() const override { return false; }

 private:
  [[noreturn]] static void no_part() { fail(Errc::kInternal, "memory of one rank is neither taken nor copied alone"); }
  void order(Order order, std::span<const Piece> pieces) {
    orders_.add(order, [&](ByteWriter& w) {
      w.put(rank_);
      w.put_all(pieces);
    });
    orders_.send();
  }

  int rank_;
  Orders& orders_;
};

}  // namespace

LeaderMemory::LeaderMemory(DeviceMemory& own, Orders& orders, const StagePlace& place, int stage)
    : own_(stage == place.stage ? &own : nullptr), orders_(orders), stage_(stage) {
  if (own_) shards_.push_back(own_);
  for (int rank = own_ ? 1 : 0; rank < place.ranks; ++rank) {
    others_.push_back(std::make_unique<OtherMemory>(place.first_of(stage) + rank, orders));
    shards_.push_back(others_.back().get());
  }
}

LeaderMemory::~LeaderMemory() = default;

// To the ranks of the stage; others pass over it.
template <class Write>
void LeaderMemory::order(Order order, Write write) {
  orders_.add(order, [&](ByteWriter& w) {
    w.put(stage_);
    write(w);
  });
}

std::unique_ptr<DeviceBuffer> LeaderMemory::allocate(int64_t bytes) {
  std::unique_ptr<DeviceBuffer> own = own_ ? own_->allocate(bytes) : std::make_unique<ReservedRange>(bytes);
  return std::make_unique<LeaderBuffer>(std::move(own), orders_, stage_);
}

void LeaderMemory::clear(std::byte* at, int64_t bytes) {
  if (own_) own_->clear(at, bytes);
  order(Order::kClear, [&](ByteWriter& w) {
    w.put(at);
    w.put(bytes);
  });
}

void LeaderMemory::copy_all(std::span<const Piece> pieces) {
  if (own_) own_->copy_all(pieces);
  order(Order::kCopy, [&](ByteWriter& w) { w.put_all(pieces); });
}

void LeaderMemory::write_all(std::span<const Piece> pieces) {
  if (own_) own_->write_all(pieces);
  order(Order::kWrite, [&](ByteWriter& w) {
    w.put_all(pieces);
    for_each_copy(pieces,
                  [&](std::byte*, const std::byte* from, int64_t bytes) { w.put_bytes(from, static_cast<size_t>(bytes)); });
  });
}

}  // namespace skald
