#include "backend/cuda/cuda_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace skald::gpu {
namespace {

class RecordedGraph : public Recording {
 public:
  explicit RecordedGraph(RunnableGraph launches) : launches(std::move(launches)) {}
  RunnableGraph launches;
};

std::string_view name_of(Use use) {
  switch (use) {
    case Use::kWeights:
      return "weights";
    case Use::kState:
      return "keys, values and states";
    case Use::kWork:
      break;
  }
  return "the work of steps";
}

}  // namespace

CudaDevice::CudaDevice(size_t card, const CudaSwitches& switches)
    : card_(card),
      switches_(switches),
      stream_(make_stream(card_)),
      begin_(make_event(card_)),
      end_(make_event(card_)),
      kernels_(gpu_kernels<simt::CudaTarget>()),
      batches_(card_, stream_.get()) {}

// What was given back may still be in use until here. Errors that nothing waits for any more are dropped.
CudaDevice::~CudaDevice() {
  cudaStreamSynchronize(stream_.get());
  cudaGetLastError();
}

std::byte* CudaDevice::allocate(int64_t bytes, Use use) {
  card_.use();
  void* data = nullptr;
  const cudaError_t result = cudaMalloc(&data, static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // it is told here
    const DeviceInfo now = info();
    fail(Errc::kNoMemory, "device {}: cudaMalloc: cannot allocate {} bytes for {}: {} of {} are free", card_.name(), bytes,
         name_of(use), now.free_bytes, now.total_bytes);
  }
  card_.check(result, "cudaMalloc");
  auto* out = static_cast<std::byte*>(data);
  clear(out, bytes);
  wait();  // uploads are not in order with it
  return out;
}

// Waits for the launches that may use it. No error of theirs is told here: destructors come here.
void CudaDevice::release(std::byte* data) {
  cudaFree(data);
  cudaGetLastError();
}

std::byte* CudaDevice::allocate_pinned(int64_t bytes) {
  card_.use();
  void* data = nullptr;
  const auto n = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  if (const cudaError_t result = cudaHostAlloc(&data, n, cudaHostAllocDefault); result != cudaSuccess) {
    cudaGetLastError();  // it is told here
    fail(Errc::kNoMemory, "device {}: cudaHostAlloc: cannot allocate {} bytes of the host's memory for steps: {}",
         card_.name(), bytes, cudaGetErrorString(result));
  }
  std::memset(data, 0, n);
  return static_cast<std::byte*>(data);
}

void CudaDevice::release_pinned(std::byte* data) { cudaFreeHost(data); }

void CudaDevice::move(void* to, const void* from, int64_t bytes, cudaMemcpyKind kind) {
  card_.use();
  card_.check(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), kind, stream_.get()), "cudaMemcpyAsync");
}

void CudaDevice::write(std::byte* to, const std::byte* host, int64_t bytes) {
  move(to, host, bytes, cudaMemcpyHostToDevice);
  wait();
}
void CudaDevice::read(std::byte* host, const std::byte* from, int64_t bytes) {
  move(host, from, bytes, cudaMemcpyDeviceToHost);
  wait();
}
void CudaDevice::copy(std::byte* to, const std::byte* from, int64_t bytes) {
  move(to, from, bytes, cudaMemcpyDeviceToDevice);
}
void CudaDevice::clear(std::byte* at, int64_t bytes) {
  card_.use();
  card_.check(cudaMemsetAsync(at, 0, static_cast<size_t>(bytes), stream_.get()), "cudaMemsetAsync");
}
void CudaDevice::bring(std::byte* to, const std::byte* pinned, int64_t bytes) {
  move(to, pinned, bytes, cudaMemcpyHostToDevice);
  ++counts_.brings;
  counts_.brought_bytes += bytes;
}

// Kernels are launched on the card of the thread.
simt::Stream CudaDevice::stream() {
  card_.use();
  return {.queue = stream_.get(), .early = switches_.early_starts};
}

void CudaDevice::check_launches() { card_.check(cudaGetLastError(), "cudaLaunchKernelEx"); }

void CudaDevice::wait() {
  card_.use();
  card_.check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

// Launches on the stream cannot be dropped: they end before what follows.
void CudaDevice::forget() {
  if (recording_) end_capture();
  cudaStreamSynchronize(stream_.get());
  cudaGetLastError();
}

void CudaDevice::begin_recording() {
  card_.use();
  card_.check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  recording_ = true;
}

GraphHandle CudaDevice::end_capture() {
  recording_ = false;
  cudaGraph_t graph = nullptr;
  const cudaError_t result = cudaStreamEndCapture(stream_.get(), &graph);
  GraphHandle out(graph);
  if (result == cudaSuccess) return out;
  cudaGetLastError();
  return {};
}

std::unique_ptr<Recording> CudaDevice::end_recording() {
  card_.use();
  const GraphHandle graph = end_capture();
  if (!graph) fail(Errc::kDevice, "device {}: cudaStreamEndCapture: the launches of a step make no graph", card_.name());
  cudaGraphExec_t launches = nullptr;
  card_.check(cudaGraphInstantiate(&launches, graph.get(), 0), "cudaGraphInstantiate");
  size_t nodes = 0;
  card_.check(cudaGraphGetNodes(graph.get(), nullptr, &nodes), "cudaGraphGetNodes");
  ++counts_.recordings;
  counts_.launches += static_cast<int64_t>(nodes);
  return std::make_unique<RecordedGraph>(RunnableGraph(launches));
}

void CudaDevice::replay(const Recording& recording) {
  card_.use();
  const auto& graph = dynamic_cast<const RecordedGraph&>(recording);
  card_.check(cudaGraphLaunch(graph.launches.get(), stream_.get()), "cudaGraphLaunch");
  ++counts_.replays;
}

double CudaDevice::seconds(const std::function<void()>& launch) {
  card_.use();
  card_.check(cudaEventRecord(begin_.get(), stream_.get()), "cudaEventRecord");
  launch();
  card_.check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  card_.check(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  card_.check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace skald::gpu
