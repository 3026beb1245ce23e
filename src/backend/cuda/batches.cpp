#include "backend/cuda/batches.h"

#include <cstring>

#include "backend/gpu/parts.h"

namespace skald::gpu {
namespace {

constexpr int64_t kBytes = int64_t{4} << 20;  // of the buffer
constexpr int64_t kMostStep = int64_t{1} << 30;

bool is_matrix(const Device::Piece& p) {
  const auto fits = [&](int64_t step) { return step >= p.bytes && step <= kMostStep; };
  return fits(p.to_step) && fits(p.from_step);
}

void on_host(const Device::Piece& p) {
  for_each_copy({&p, 1}, [](std::byte* to, const std::byte* from, int64_t bytes) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  });
}

}  // namespace

Batches::Batches(const Card& card, cudaStream_t stream) : card_(card), stream_(stream), buffer_(make_pinned(card, kBytes)) {}

void Batches::wait() { card_.check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

// Puts the copies of a piece on the stream: one call where they have steps that CUDA takes.
void Batches::start(const Piece& p, cudaMemcpyKind kind) {
  const auto bytes = static_cast<size_t>(p.bytes);
  if (p.count > 1 && is_matrix(p)) {
    card_.check(cudaMemcpy2DAsync(p.to, static_cast<size_t>(p.to_step), p.from, static_cast<size_t>(p.from_step), bytes,
                                  static_cast<size_t>(p.count), kind, stream_),
                "cudaMemcpy2DAsync");
    return;
  }
  for_each_copy({&p, 1}, [&](std::byte* to, const std::byte* from, int64_t) {
    card_.check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpyAsync");
  });
}

void Batches::read(std::span<const Piece> pieces) {
  card_.use();
  const auto stage = [this](Piece p, int64_t offset) {
    std::byte* const at = buffer_.get() + offset;
    read_.push_back({p.to, at, p.bytes, p.count, p.to_step, p.bytes});
    p.to = at;
    p.to_step = p.bytes;
    start(p, cudaMemcpyDeviceToHost);
  };
  const auto flush = [this] {
    wait();
    for (const Piece& p : read_) on_host(p);
    read_.clear();
  };
  for_each_part(pieces, kBytes, stage, flush);
}

void Batches::write(std::span<const Piece> pieces) {
  card_.use();
  const auto stage = [this](Piece p, int64_t offset) {
    std::byte* const at = buffer_.get() + offset;
    on_host({at, p.from, p.bytes, p.count, p.bytes, p.from_step});
    p.from = at;
    p.from_step = p.bytes;
    start(p, cudaMemcpyHostToDevice);
  };
  for_each_part(pieces, kBytes, stage, [this] { wait(); });
}

void Batches::copy(std::span<const Piece> pieces) {
  card_.use();
  for (const Piece& p : pieces)
    if (p.bytes > 0) start(p, cudaMemcpyDeviceToDevice);
}

}  // namespace skald::gpu
