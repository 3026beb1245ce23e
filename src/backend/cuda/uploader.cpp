#include "backend/cuda/uploader.h"

#include <algorithm>
#include <cstring>

namespace skald::gpu {
namespace {

constexpr int64_t kBytes = int64_t{16} << 20;  // of a buffer

}  // namespace

Uploader::Uploader(const Card& card) : card_(card), stream_(make_stream(card)) {
  for (Buffer& b : buffers_) {
    b.data = make_pinned(card, kBytes);
    b.copied = make_event(card, cudaEventDisableTiming);
  }
}

// The buffers may be on their way until then.
Uploader::~Uploader() { cudaStreamSynchronize(stream_.get()); }

// Bytes that go on where the last ones end are sent with them.
void Uploader::write(std::byte* to, const std::byte* host, int64_t bytes) {
  while (bytes > 0) {
    if (filling().used == kBytes || (filling().used > 0 && filling().to + filling().used != to)) send();
    Buffer& b = filling();
    if (b.used == 0) b.to = to;
    const int64_t some = std::min(bytes, kBytes - b.used);
    std::memcpy(b.data.get() + b.used, host, static_cast<size_t>(some));
    b.used += some;
    to += some;
    host += some;
    bytes -= some;
  }
}

// Then the other buffer is free again.
void Uploader::send() {
  Buffer& b = filling();
  if (b.used > 0) {
    card_.use();
    card_.check(cudaMemcpyAsync(b.to, b.data.get(), static_cast<size_t>(b.used), cudaMemcpyHostToDevice, stream_.get()),
                "cudaMemcpyAsync");
    card_.check(cudaEventRecord(b.copied.get(), stream_.get()), "cudaEventRecord");
  }
  at_ = 1 - at_;
  card_.check(cudaEventSynchronize(filling().copied.get()), "cudaEventSynchronize");
  filling().used = 0;
}

void Uploader::wait() {
  send();
  card_.check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  for (Buffer& b : buffers_) b.used = 0;
}

}  // namespace skald::gpu
