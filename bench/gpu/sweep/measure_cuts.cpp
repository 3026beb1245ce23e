// Measures kernels of decoding in several cuts on the first card: tables for people, and JSON.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/cuda/cuda_device.h"
#include "backend/gpu/meter.h"
#include "base/error.h"
#include "bench/gpu/commands.h"
#include "bench/gpu/sweep/trials.h"
#include "quant/registry.h"

namespace skald::gpu {
namespace {

constexpr int64_t kPoolBytes = int64_t{2} << 30;  // many times what a card caches
constexpr double kSeconds = 0.02;                 // of a round

/// Mistral 7B's weights.
struct WeightShape {
  int64_t n, k;
};
constexpr WeightShape kWeights[] = {{6144, 4096}, {4096, 4096}, {28672, 4096}, {4096, 14336}};
constexpr int64_t kKeys[] = {2048, 8192, 32768};

nlohmann::ordered_json numbers_of(const Cut& cut) {
  nlohmann::ordered_json out;
  const auto add = [&](const char* name, int n) {
    if (n) out[name] = n;
  };
  add("panels", cut.panels);
  add("steps", cut.steps);
  add("unroll", cut.unroll);
  add("pages", cut.pages);
  add("most_blocks", cut.most_blocks);
  add("blocks", cut.blocks);
  return out;
}

/// Tries variants one after another, and writes down what they read a second.
class Sweep {
 public:
  Sweep(Device& device, const Pool& pool, double peak) : device_(device), pool_(pool), peak_(peak) {}

  void try_products(const std::vector<ProductVariant>& variants) {
    std::vector<std::string> columns;
    for (const WeightShape& w : kWeights) columns.push_back(fmt::format("{}x{}", w.n, w.k));
    start("weights", std::move(columns));
    for (const ProductVariant& variant : variants) {
      begin(variant.format, variant.cut);
      for (const WeightShape& w : kWeights) measure(ProductTrial(device_, pool_, variant.format, w.n, w.k), variant);
      end();
    }
    fmt::print("\n");
  }

  void try_attention(const std::vector<PartsVariant>& variants) {
    std::vector<std::string> columns;
    for (const int64_t keys : kKeys) columns.push_back(fmt::format("{} keys", keys));
    start("cache", std::move(columns));
    for (const PartsVariant& variant : variants) {
      begin(variant.format, variant.cut);
      for (const int64_t keys : kKeys) measure(PartsTrial(device_, pool_, {.keys = keys}), variant);
      end();
    }
    fmt::print("\n");
  }

  const nlohmann::ordered_json& all() const { return all_; }

 private:
  void start(std::string_view format, std::vector<std::string> columns) {
    columns_ = std::move(columns);
    line(format, "cut");
    for (const std::string& column : columns_) cell(column);
    cell("of reads");
    fmt::print("\n|{:-<9}|{:-<44}|", "", "");
    for (size_t i = 0; i <= columns_.size(); ++i) fmt::print("{:->12}:|", "");
    fmt::print("\n");
  }
  static void line(std::string_view format, std::string_view cut) { fmt::print("| {:<7} | {:<42} |", format, cut); }
  static void cell(std::string_view text) { fmt::print(" {:>11} |", text); }

  void begin(uint32_t format, const Cut& cut) {
    const nlohmann::ordered_json numbers = numbers_of(cut);
    std::string text;
    for (const auto& [name, n] : numbers.items()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, n.dump());
    const std::string name(find_format(format)->name);
    all_.push_back({{"format", name}, {"cut", numbers}});
    line(name, text);
    column_ = 0;
    bytes_ = seconds_ = 0;
  }
  // A launch that the card refuses has no figure: registers or shared memory do not do.
  template <class Trial, class Variant>
  void measure(const Trial& trial, const Variant& variant) {
    const std::string& column = columns_[column_++];
    try {
      const double seconds = seconds_of(device_, kSeconds, [&](int64_t turn) { trial.launch(variant, turn); });
      const double rate = static_cast<double>(trial.bytes()) / seconds * 1e-9;
      bytes_ += static_cast<double>(trial.bytes());
      seconds_ += seconds;
      all_.back()["gb_per_s"][column] = rate;
      cell(fmt::format("{:.0f}", rate));
    } catch (const Error& e) {
      if (e.code() != Errc::kDevice) throw;
      all_.back()["refused"] = e.what();
      cell("refused");
    }
  }
  void end() {
    const double share = seconds_ > 0 ? bytes_ / seconds_ * 1e-9 / peak_ : 0;
    all_.back()["bandwidth_share"] = share;
    cell(fmt::format("{:.1f} %", 100 * share));
    fmt::print("\n");
  }
  Device& device_;
  const Pool& pool_;
  double peak_;  // GB/s
  double bytes_ = 0, seconds_ = 0;
  std::vector<std::string> columns_;
  size_t column_ = 0;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

}  // namespace

void measure_cuts(const char* file) {
  CudaDevice card(0);
  const double peak = GpuMeter(card).measure(1).read_gb_per_s;
  const Pool pool(card, std::min(kPoolBytes, card.info().free_bytes / 2));
  fmt::print("GB/s of kernels that decode one row; reads alone: {:.0f}\n\n", peak);
  Sweep sweep(card, pool, peak);
  std::vector<ProductVariant> products = half_variants<simt::CudaTarget>();
  const std::vector<ProductVariant> codes = code_variants<simt::CudaTarget>();
  products.insert(products.end(), codes.begin(), codes.end());
  sweep.try_products(products);
  sweep.try_attention(parts_variants<simt::CudaTarget>());
  if (!file) return;
  std::ofstream out(file);
  out << sweep.all().dump(1) << '\n';
  if (!out.flush()) fail(Errc::kDevice, "{}: cannot write it", file);
}

}  // namespace skald::gpu
