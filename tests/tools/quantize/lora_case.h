// LoraCase: an adapter of tests/data/lora, its golden model, and the logits that a reference computed with both.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/npy.h"
#include "tests/support/paths.h"
#include "tools/measure/logits.h"

namespace skald::test {

struct LoraCase {
  std::filesystem::path folder;
  std::string model;  // path
  std::vector<TokenId> ids;

  explicit LoraCase(const std::string& name) : folder(data_dir() / "lora" / name) {
    const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
    const std::string golden = std::filesystem::path(expected.at("model").get<std::string>()).filename();
    model = (data_dir() / "golden" / golden / "model.gguf").string();
    ids = expected.at("ids").get<std::vector<TokenId>>();
  }
  std::string file(const std::string& name) const { return (folder / name).string(); }

  /// Whether a model file gives the logits of `want`, an .npy file beside the adapter.
  testing::AssertionResult gives(const std::string& path, const std::string& want) const {
    const std::vector<float> logits = read_npy(folder / want).values;
    const EngineOptions options{.device = {.n_threads = 2}, .cache = {.type_k = "f32", .type_v = "f32"}};
    const std::vector<float> got = compute_logits(*Golden::load_gguf(path), options, ids, -1);
    return close_to(got, logits, 1e-2 * std::max(1.0, Golden::spread(logits)));
  }
};

}  // namespace skald::test
