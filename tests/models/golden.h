// Golden models, tests/data/golden/<name>: random weights, with logits and greedy ids of their PyTorch references.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "loading/loaded_model.h"
#include "tests/support/npy.h"
#include "tests/support/paths.h"

namespace skald::test {

struct Golden {
  std::filesystem::path folder;
  std::string name, arch;
  std::string storage;  // "F32": how the matrices are stored
  double logit_std = 1;
  double f32_error = 0;  // the largest difference that computing with f32 instead of f64 made to the reference
  std::vector<TokenId> prompt_ids, greedy_ids, long_ids;
  std::vector<double> greedy_margins;
  std::vector<int64_t> long_positions;

  explicit Golden(const std::filesystem::path& path) : folder(path) {
    const auto expected = nlohmann::json::parse(std::ifstream(path / "expected.json"));
    name = expected.at("name");
    arch = expected.at("arch");
    storage = expected.at("storage");
    logit_std = expected.contains("logit_std") ? expected.at("logit_std").get<double>() : spread(logits("logits").values);
    f32_error = expected.value("float64_max_diff", 0.0);
    prompt_ids = expected.at("prompt_ids").get<std::vector<TokenId>>();
    long_ids = expected.at("long_ids").get<std::vector<TokenId>>();
    if (expected.contains("pooling")) return;  // an encoder: see encoder_golden.h
    greedy_ids = expected.at("greedy_ids").get<std::vector<TokenId>>();
    greedy_margins = expected.at("greedy_margins").get<std::vector<double>>();
    long_positions = expected.at("long_positions").get<std::vector<int64_t>>();
  }

  static double spread(std::span<const float> x) {
    double sum = 0, squares = 0;
    for (double v : x) {
      sum += v;
      squares += v * v;
    }
    const double mean = sum / static_cast<double>(x.size());
    return std::sqrt(squares / static_cast<double>(x.size()) - mean * mean);
  }
  Matrix logits(const std::string& file) const { return read_npy(folder / (file + ".npy")); }
  std::shared_ptr<const LoadedModel> load() const { return load_gguf(folder / "model.gguf"); }

  static std::shared_ptr<const LoadedModel> load_gguf(const std::filesystem::path& path) {
    return LoadedModel::from_gguf(Gguf::open(path.string(), FileBytes::How::kMap), path.string());
  }
};

/// The models of tests/data/golden whose family this build has and for which `wanted` is true, sorted by name.
template <class Wanted>
std::vector<std::string> golden_names(Wanted wanted) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data_dir() / "golden")) {
    if (!std::filesystem::exists(entry.path() / "expected.json")) continue;
    const Golden golden(entry.path());
    const auto known = [&](const Family* family) { return family->arch == golden.arch; };
    if (std::ranges::any_of(families(), known) && wanted(golden)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace skald::test
