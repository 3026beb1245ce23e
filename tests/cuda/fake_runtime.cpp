#include "tests/cuda/fake_runtime.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kernels/gpu/host/address_space.h"
#include "kernels/gpu/host/machine.h"

namespace skald::test {

FakeRuntime& fake_runtime() {
  static FakeRuntime runtime;
  return runtime;
}

namespace {

using simt::host::AddressSpace, simt::host::Launch, simt::host::Machine;

struct Memory {
  AddressSpace space{int64_t{1} << 36, true};
  std::map<std::byte*, int64_t> pieces;
  std::map<std::byte*, std::unique_ptr<std::byte[]>> pinned;
  std::map<std::byte*, size_t> pinned_bytes;

  std::byte* host(const void* at, size_t bytes) const {
    auto* p = static_cast<std::byte*>(const_cast<void*>(at));
    return space.holds(p) ? space.for_copies(p, static_cast<int64_t>(bytes)) : p;
  }
  bool is_pinned(const void* at) const {
    const auto* p = static_cast<const std::byte*>(at);
    return std::ranges::any_of(pinned_bytes,
                               [&](const auto& piece) { return p >= piece.first && p < piece.first + piece.second; });
  }
};

Memory& memory() {
  static Memory all;
  return all;
}

/// Its address is a machine's: kernels push their launches there.
struct FakeStream : Machine {
  int card = 0;
  bool captures = false;
  std::vector<std::function<void()>> later = {};

  // Launches since the last call are in order with what follows.
  void collect() {
    if (idle()) return;
    later.emplace_back([this, launches = take()] {
      for (const Launch& launch : launches) push(launch);
      const AddressSpace::Open open(memory().space);
      run();
    });
  }
  void flush() {
    collect();
    for (const auto& task : std::exchange(later, {})) task();
  }
};

std::set<FakeStream*>& streams() {
  static std::set<FakeStream*> all;
  return all;
}

struct FakeEvent {
  FakeStream* stream = nullptr;
  bool happened = true;
};

struct FakeGraph {
  std::vector<Launch> launches;
};

thread_local int current_card = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t told(cudaError_t error) { return last_error = error == cudaSuccess ? last_error : error, error; }

bool fails(const char* call) { return fake_runtime().failing == call; }

FakeStream& stream_of(cudaStream_t stream) { return *reinterpret_cast<FakeStream*>(stream); }
FakeEvent& event_of(cudaEvent_t event) { return *reinterpret_cast<FakeEvent*>(event); }

// Why the stream takes nothing from this thread.
cudaError_t refusal(const FakeStream& stream) {
  if (stream.card != current_card) return cudaErrorInvalidResourceHandle;
  return stream.captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

// As late as the host's memory allows.
cudaError_t copy(FakeStream& stream, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = refusal(stream); error != cudaSuccess) return told(error);
  ++fake_runtime().copies;
  stream.collect();
  const std::byte* source = static_cast<const std::byte*>(from);
  std::shared_ptr<std::byte[]> staged;
  if (kind == cudaMemcpyHostToDevice && !memory().is_pinned(from)) {
    staged.reset(new std::byte[bytes]);
    std::memcpy(staged.get(), from, bytes);
    source = staged.get();
  }
  stream.later.emplace_back([=] {
    std::memcpy(memory().host(to, bytes), memory().host(source, bytes), bytes);
    (void)staged;
  });
  if (kind == cudaMemcpyDeviceToHost && !memory().is_pinned(to)) stream.flush();
  return cudaSuccess;
}

}  // namespace
}  // namespace skald::test

using namespace skald::test;  // NOLINT: the functions below are C's

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake_runtime().driver;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = fake_runtime().runtime;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* n) {
  const FakeRuntime& runtime = fake_runtime();
  *n = 0;
  if (runtime.driver < runtime.runtime) return told(cudaErrorInsufficientDriver);
  if (runtime.cards.empty()) return told(cudaErrorNoDevice);
  *n = static_cast<int>(runtime.cards.size());
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int card) {
  const int capability = fake_runtime().cards.at(static_cast<size_t>(card)).capability;
  *value = what == cudaDevAttrComputeCapabilityMajor ? capability / 10 : capability % 10;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int card) {
  std::snprintf(properties->name, sizeof properties->name, "Fake Card %d", card);
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int card) {
  if (fails("cudaSetDevice")) return told(cudaErrorUnknown);
  current_card = card;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const int64_t bytes = fake_runtime().cards.at(static_cast<size_t>(current_card)).bytes;
  *total = static_cast<size_t>(bytes);
  *free = static_cast<size_t>(bytes - memory().space.used());
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) { return error == cudaErrorUnknown ? "unknown error" : "an error"; }
const char* cudaGetErrorName(cudaError_t error) { return error == cudaErrorUnknown ? "cudaErrorUnknown" : "cudaErrorOther"; }

cudaError_t cudaMalloc(void** data, size_t bytes) {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  if (bytes > free) return told(cudaErrorMemoryAllocation);
  std::byte* const at = memory().space.allocate(static_cast<int64_t>(bytes));
  std::memset(memory().host(at, bytes), 0xcd, bytes);
  memory().pieces[at] = static_cast<int64_t>(bytes);
  for (FakeStream* s : streams()) s->add_weights({at, bytes});
  *data = at;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  for (FakeStream* s : streams()) s->flush();
  auto* const at = static_cast<std::byte*>(data);
  for (FakeStream* s : streams()) s->remove_weights(at);
  memory().pieces.erase(at);
  memory().space.release(at);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  if (fails("cudaHostAlloc")) return told(cudaErrorUnknown);
  auto owned = std::make_unique<std::byte[]>(bytes);
  std::memset(owned.get(), 0xcd, bytes);
  *data = owned.get();
  memory().pinned_bytes[owned.get()] = bytes;
  memory().pinned[owned.get()] = std::move(owned);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  memory().pinned_bytes.erase(static_cast<std::byte*>(data));
  memory().pinned.erase(static_cast<std::byte*>(data));
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  auto* const made = new FakeStream();
  made->card = current_card;
  for (const auto& [at, bytes] : memory().pieces) made->add_weights({at, static_cast<size_t>(bytes)});
  streams().insert(made);
  *stream = reinterpret_cast<cudaStream_t>(static_cast<skald::simt::host::Machine*>(made));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams().erase(&stream_of(stream));
  delete &stream_of(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  FakeStream& s = stream_of(stream);
  if (s.captures) return told(cudaErrorStreamCaptureUnsupported);
  s.flush();
  return fails("cudaStreamSynchronize") ? told(cudaErrorUnknown) : cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(stream_of(stream), to, from, bytes, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_step, const void* from, size_t from_step, size_t bytes, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (to_step < bytes || from_step < bytes) return told(cudaErrorInvalidPitchValue);
  for (size_t r = 0; r < rows; ++r)
    if (const cudaError_t error = copy(stream_of(stream), static_cast<std::byte*>(to) + r * to_step,
                                       static_cast<const std::byte*>(from) + r * from_step, bytes, kind);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  FakeStream& s = stream_of(stream);
  if (const cudaError_t error = refusal(s); error != cudaSuccess) return told(error);
  s.collect();
  s.later.emplace_back([=] { std::memset(memory().host(at, bytes), value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new FakeEvent());
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FakeStream& s = stream_of(stream);
  if (const cudaError_t error = refusal(s); error != cudaSuccess) return told(error);
  s.collect();
  event_of(event) = {&s, false};
  s.later.emplace_back([event] { event_of(event).happened = true; });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!event_of(event).happened) event_of(event).stream->flush();
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  FakeStream& s = stream_of(stream);
  if (const cudaError_t error = refusal(s); error != cudaSuccess) return told(error);
  s.collect();
  s.captures = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  FakeStream& s = stream_of(stream);
  s.captures = false;
  auto made = std::make_unique<FakeGraph>();
  made->launches = s.take();
  if (fails("cudaStreamEndCapture")) return told(cudaErrorStreamCaptureInvalidated);
  *graph = reinterpret_cast<cudaGraph_t>(made.release());
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* n) {
  *n = reinterpret_cast<FakeGraph*>(graph)->launches.size();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<FakeGraph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* launches, cudaGraph_t graph, unsigned long long) {
  if (fails("cudaGraphInstantiate")) return told(cudaErrorUnknown);
  *launches = reinterpret_cast<cudaGraphExec_t>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t launches) {
  delete reinterpret_cast<FakeGraph*>(launches);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t launches, cudaStream_t stream) {
  FakeStream& s = stream_of(stream);
  if (const cudaError_t error = refusal(s); error != cudaSuccess) return told(error);
  for (const auto& launch : reinterpret_cast<FakeGraph*>(launches)->launches) s.push(launch);
  return cudaSuccess;
}

}  // extern "C"
