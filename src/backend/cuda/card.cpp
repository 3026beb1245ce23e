#include "backend/cuda/card.h"

#include "base/error.h"

namespace skald::gpu {
namespace {

constexpr int kLeastCapability = 80;  // 10 * major + minor

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::string why_none(cudaError_t error) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "there is no NVIDIA driver: the system has no libcuda.so.1";
  if (error == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver is of CUDA {}, and this program needs {}", version(driver), version(runtime));
  if (error == cudaErrorNoDevice || error == cudaSuccess)
    return fmt::format("the NVIDIA driver, of CUDA {}, finds no card", version(driver));
  return fmt::format("cudaGetDeviceCount failed: {}", cudaGetErrorString(error));
}

int attribute(cudaDeviceAttr what, int card) {
  int value = 0;
  cudaDeviceGetAttribute(&value, what, card);
  return value;
}

}  // namespace

Cards find_cards() {
  Cards out;
  int n = 0;
  const cudaError_t error = cudaGetDeviceCount(&n);
  cudaGetLastError();  // no later call is to find it
  if (error != cudaSuccess || n == 0) return {{}, why_none(error)};
  for (int card = 0; card < n; ++card) {
    const int major = attribute(cudaDevAttrComputeCapabilityMajor, card),
              minor = attribute(cudaDevAttrComputeCapabilityMinor, card);
    if (10 * major + minor >= kLeastCapability)
      out.numbers.push_back(card);
    else
      out.missing = fmt::format("the card is of compute capability {}.{}, and kernels need 8.0", major, minor);
  }
  return out;
}

const Cards& cards() {
  static const Cards all = find_cards();
  return all;
}

std::string Card::name() const { return fmt::format("cuda{}", index_); }

void Card::use() const { check(cudaSetDevice(number_), "cudaSetDevice"); }

void Card::check(cudaError_t result, std::string_view call) const {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // it is told here
  fail(Errc::kDevice, "device {}: {} failed: {} ({})", name(), call, cudaGetErrorString(result), cudaGetErrorName(result));
}

DeviceInfo Card::info() const {
  use();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, number_), "cudaGetDeviceProperties");
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {.name = properties.name,
          .kind = "cuda",
          .total_bytes = static_cast<int64_t>(total),
          .free_bytes = static_cast<int64_t>(free)};
}

}  // namespace skald::gpu
