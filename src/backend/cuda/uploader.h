// Uploader: brings weights to a card through two pinned buffers, one of which is filled while the other one is copied.
#pragma once

#include <array>

#include "backend/cuda/handles.h"

namespace skald::gpu {

class Uploader : public Upload {
 public:
  explicit Uploader(const Card& card);
  ~Uploader() override;
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  void write(std::byte* to, const std::byte* host, int64_t bytes) override;
  void wait() override;

 private:
  struct Buffer {
    PinnedBytes data;
    EventHandle copied;
    int64_t used = 0;
    std::byte* to = nullptr;  // of its first byte
  };
  Buffer& filling() { return buffers_[at_]; }
  void send();

  const Card& card_;
  StreamHandle stream_;
  std::array<Buffer, 2> buffers_;
  size_t at_ = 0;
};

}  // namespace skald::gpu
