// Handles of CUDA's runtime that are given back at their end.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "backend/cuda/card.h"

namespace skald::gpu {

template <auto kDestroy>
struct Destroy {
  template <class T>
  void operator()(T* handle) const {
    kDestroy(handle);
  }
};
template <class T, auto kDestroy>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Destroy<kDestroy>>;

/// Memory of the host that the card copies from and to by itself.
using PinnedBytes = std::unique_ptr<std::byte, Destroy<cudaFreeHost>>;
using StreamHandle = Handle<cudaStream_t, cudaStreamDestroy>;
using EventHandle = Handle<cudaEvent_t, cudaEventDestroy>;
using GraphHandle = Handle<cudaGraph_t, cudaGraphDestroy>;
using RunnableGraph = Handle<cudaGraphExec_t, cudaGraphExecDestroy>;

/// A stream that no other one waits for.
inline StreamHandle make_stream(const Card& card) {
  card.use();
  cudaStream_t stream = nullptr;
  card.check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return StreamHandle(stream);
}

inline PinnedBytes make_pinned(const Card& card, int64_t bytes) {
  card.use();
  void* data = nullptr;
  card.check(cudaHostAlloc(&data, static_cast<size_t>(bytes), cudaHostAllocDefault), "cudaHostAlloc");
  return PinnedBytes(static_cast<std::byte*>(data));
}

inline EventHandle make_event(const Card& card, unsigned flags = cudaEventDefault) {
  card.use();
  cudaEvent_t event = nullptr;
  card.check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return EventHandle(event);
}

}  // namespace skald::gpu
