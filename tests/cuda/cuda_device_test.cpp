// The device of cards, on a runtime of the host.
#include "backend/cuda/cuda_device.h"

#include <gtest/gtest.h>

#include "backend/gpu/gpu_backend.h"
#include "backend/simt/simt_device.h"
#include "stepping/runner.h"
#include "tests/cuda/fake_runtime.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using gpu::CudaDevice, gpu::Use;
using Piece = DeviceMemory::Piece;

class Cuda : public testing::Test {
 protected:
  Cuda() { test::fake_runtime() = {}; }
  ~Cuda() override { test::fake_runtime() = {}; }
};

using Cards = Cuda;

std::string missing() { return gpu::find_cards().missing; }

TEST_F(Cards, AreMissingForAReasonThatIsTold) {
  test::FakeRuntime& runtime = test::fake_runtime();
  runtime.driver = 0;
  EXPECT_EQ(missing(), "there is no NVIDIA driver: the system has no libcuda.so.1");
  runtime.driver = 12020;
  EXPECT_EQ(missing(), "the NVIDIA driver is of CUDA 12.2, and this program needs 13.0");
  runtime.driver = 13010;
  runtime.cards = {};
  EXPECT_EQ(missing(), "the NVIDIA driver, of CUDA 13.1, finds no card");
  runtime.cards = {{.capability = 75}};
  EXPECT_EQ(missing(), "the card is of compute capability 7.5, and kernels need 8.0");
}

TEST_F(Cards, ThatAreTooOldAreNotCounted) {
  test::fake_runtime().cards = {{.capability = 61}, {.capability = 80}, {.capability = 75}, {.capability = 120}};
  EXPECT_EQ(gpu::find_cards().numbers, (std::vector<int>{1, 3}));
}

std::vector<std::byte> some_bytes(size_t n, unsigned seed) {
  std::vector<std::byte> out(n);
  for (std::byte& b : out) b = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  return out;
}

using Device = Cuda;

std::vector<std::byte> read(CudaDevice& device, const std::byte* from, size_t bytes) {
  std::vector<std::byte> out(bytes);
  device.read(out.data(), from, static_cast<int64_t>(bytes));
  return out;
}

TEST_F(Device, GivesZeroedMemoryAndCopies) {
  CudaDevice device(1);
  EXPECT_EQ(device.info().name, "Fake Card 1");
  std::byte* const data = device.allocate(1000, Use::kState);
  EXPECT_EQ(read(device, data, 1000), std::vector<std::byte>(1000));
  std::vector<std::byte> bytes = some_bytes(500, 1), want = bytes;
  device.write(data, bytes.data(), 500);
  std::ranges::fill(bytes, std::byte{0});  // they are ours again
  device.copy(data + 500, data, 500);
  device.clear(data, 10);
  EXPECT_EQ(read(device, data + 500, 500), want);
  std::ranges::fill_n(want.begin(), 10, std::byte{0});
  EXPECT_EQ(read(device, data, 500), want);
  device.release(data);
}

TEST_F(Device, SaysWhatWasWantedAndWhatIsFreeWhereThereIsNoRoom) {
  test::fake_runtime().cards[0].bytes = 1 << 20;
  CudaDevice device(0);
  const Error e = test::error_of([&] { device.allocate(1 << 21, Use::kWeights); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_STREQ(e.what(), "device cuda0: cudaMalloc: cannot allocate 2097152 bytes for weights: 1048576 of 1048576 are free");
  EXPECT_NO_THROW(device.check_launches());
}

TEST_F(Device, MovesManyPiecesWithFewWaits) {
  CudaDevice device(0);
  constexpr int64_t kBytes = int64_t{12} << 20;  // three fillings of the buffer
  std::byte *const data = device.allocate(kBytes, Use::kState), *const other = device.allocate(kBytes, Use::kState);
  const std::vector<std::byte> bytes = some_bytes(kBytes, 2);
  const std::vector<Piece> in = {{data, bytes.data(), 100, 1000, 200, 100},  // with gaps
                                 {data + 200'000, bytes.data() + 200'000, kBytes - 300'000}};
  device.write_all(in);
  device.copy_all(std::vector<Piece>{{other, data, kBytes / 2, 2, kBytes / 2, kBytes / 2}});
  std::vector<std::byte> got(bytes.size()), want(bytes.size());
  for_each_copy(
      in, [&](const std::byte* to, const std::byte* from, int64_t n) { std::copy_n(from, n, want.begin() + (to - data)); });
  device.read_all(std::vector<Piece>{{got.data(), other, 7, 1000, 7, 7}, {got.data() + 7000, other + 7000, kBytes - 7000}});
  EXPECT_TRUE(got == want);
  device.release(data);
  device.release(other);
}

TEST_F(Device, UploadsMoreThanItsBuffersHold) {
  CudaDevice device(0);
  constexpr size_t kBytes = 50 << 20;
  std::byte* const data = device.allocate(kBytes, Use::kWeights);
  const std::vector<std::byte> want = some_bytes(kBytes, 3);
  {
    const std::unique_ptr<gpu::Upload> upload = device.upload();
    const auto write = [&](size_t from, size_t n) {
      std::vector<std::byte> part(want.begin() + static_cast<int64_t>(from), want.begin() + static_cast<int64_t>(from + n));
      upload->write(data + from, part.data(), static_cast<int64_t>(n));
    };
    write(20 << 20, 30 << 20);
    for (size_t at = 0; at < 20 << 20; at += 1 << 20) write(at, 1 << 20);
    upload->wait();
  }
  EXPECT_TRUE(read(device, data, kBytes) == want);
  device.release(data);
}

TEST_F(Device, NamesTheCallThatFails) {
  CudaDevice device(1);
  test::fake_runtime().failing = "cudaStreamSynchronize";
  const Error e = test::error_of([&] { device.wait(); });
  EXPECT_EQ(e.code(), Errc::kDevice);
  EXPECT_STREQ(e.what(), "device cuda1: cudaStreamSynchronize failed: unknown error (cudaErrorUnknown)");
}

/// A model on a device.
class Session {
 public:
  explicit Session(std::unique_ptr<gpu::Device> device, const std::string& arch)
      : model_(test::load({.arch = arch})), backend_(std::move(device), {}) {
    runner_.emplace(model_->step_model(), backend_, CacheOptions{.n_ctx = 256}, ScheduleOptions{.n_parallel = 2});
  }
  std::vector<float> logits() {
    const std::vector<TokenId> tokens = test::some_tokens(90, 1, model_->n_vocab());
    return test::logits_of(*runner_, tokens, 40, 80);
  }
  gpu::DeviceCounts counts() { return backend_.device().counts(); }

 private:
  std::shared_ptr<const LoadedModel> model_;
  gpu::GpuBackend backend_;
  std::optional<Runner> runner_;
};

using Model = Cuda;

TEST_F(Model, GivesTheBitsOfTheHostAsAGpu) {
  for (const char* arch : {"llama", "qwen3next"}) {
    Session card(std::make_unique<CudaDevice>(1), arch), host(std::make_unique<gpu::SimtDevice>(), arch);
    EXPECT_TRUE(test::same_bits(card.logits(), host.logits())) << arch;
    EXPECT_EQ(card.counts().recordings, host.counts().recordings);
    EXPECT_EQ(card.counts().replays, host.counts().replays);
    EXPECT_EQ(card.counts().launches, host.counts().launches);
    EXPECT_EQ(card.counts().brought_bytes, host.counts().brought_bytes);
  }
}

TEST_F(Model, GivesTheSameBitsWithoutGraphs) {
  Session plain(std::make_unique<CudaDevice>(0, gpu::CudaSwitches{.graphs = false}), "llama"),
      card(std::make_unique<CudaDevice>(0), "llama");
  EXPECT_TRUE(test::same_bits(plain.logits(), card.logits()));
  EXPECT_EQ(plain.counts().recordings, 0);
  EXPECT_EQ(plain.counts().replays, 0);
}

TEST(CudaSwitches, AreSwitchedOffByTheirNames) {
  EXPECT_TRUE(gpu::cuda_switches(nullptr).graphs && gpu::cuda_switches("").early_starts);
  EXPECT_FALSE(gpu::cuda_switches("graphs").graphs);
  EXPECT_TRUE(gpu::cuda_switches("graphs").early_starts);
  const gpu::CudaSwitches none = gpu::cuda_switches("early-starts,graphs");
  EXPECT_FALSE(none.graphs || none.early_starts);
  const Error e = test::error_of([] { gpu::cuda_switches("graphs,all"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(), "SKALD_CUDA_OFF: there is no 'all' to switch off: graphs, early-starts");
}

TEST_F(Model, RunsAgainAfterARecordingThatFailed) {
  Session card(std::make_unique<CudaDevice>(0), "llama");
  for (const char* call : {"cudaStreamEndCapture", "cudaGraphInstantiate"}) {
    test::fake_runtime().failing = call;
    EXPECT_NE(std::string(test::error_of([&] { card.logits(); }).what()).find(call), std::string::npos);
  }
  test::fake_runtime().failing = "";
  Session host(std::make_unique<gpu::SimtDevice>(), "llama");
  EXPECT_TRUE(test::same_bits(card.logits(), host.logits()));
}

}  // namespace
}  // namespace skald
