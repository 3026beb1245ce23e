#include "backend/ranks/leader_memory.h"

#include <utility>

namespace skald {
namespace {

class LeaderBuffer : public DeviceBuffer {
 public:
  LeaderBuffer(std::unique_ptr<DeviceBuffer> own, Orders& orders) : own_(std::move(own)), orders_(orders) {
    orders_.add(Order::kAllocate, [this](ByteWriter& w) {
      w.put(own_->data());
      w.put(own_->size());
    });
  }
  ~LeaderBuffer() override {
    orders_.add(Order::kFree, [this](ByteWriter& w) { w.put(own_->data()); });
  }
  LeaderBuffer(const LeaderBuffer&) = delete;
  LeaderBuffer& operator=(const LeaderBuffer&) = delete;

  std::byte* data() const override { return own_->data(); }
  int64_t size() const override { return own_->size(); }

 private:
  std::unique_ptr<DeviceBuffer> own_;
  Orders& orders_;
};

}  // namespace

std::unique_ptr<DeviceBuffer> LeaderMemory::allocate(int64_t bytes) {
  return std::make_unique<LeaderBuffer>(own_.allocate(bytes), orders_);
}

void LeaderMemory::clear(std::byte* at, int64_t bytes) {
  own_.clear(at, bytes);
  orders_.add(Order::kClear, [&](ByteWriter& w) {
    w.put(at);
    w.put(bytes);
  });
}

void LeaderMemory::copy_all(std::span<const Piece> pieces) {
  own_.copy_all(pieces);
  orders_.add(Order::kCopy, [&](ByteWriter& w) { w.put_all(pieces); });
}

void LeaderMemory::write_all(std::span<const Piece> pieces) {
  own_.write_all(pieces);
  orders_.add(Order::kWrite, [&](ByteWriter& w) {
    w.put_all(pieces);
    for_each_copy(pieces,
                  [&](std::byte*, const std::byte* from, int64_t bytes) { w.put_bytes(from, static_cast<size_t>(bytes)); });
  });
}

}  // namespace skald
