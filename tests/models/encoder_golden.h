// Golden encoders, tests/data/encoders/<name>: random weights, with vectors and states of their PyTorch references.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "skald/model.h"
#include "tests/support/npy.h"
#include "tests/support/paths.h"

namespace skald::test {

struct EncoderGolden {
  std::filesystem::path folder;
  std::string arch, text;
  std::vector<TokenId> prompt_ids, long_ids, text_ids;
  std::vector<float> embedding, long_embedding, text_embedding;

  explicit EncoderGolden(const std::string& name) : folder(data_dir() / "encoders" / name) {
    const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
    const auto& text_case = expected.at("text_case");
    arch = expected.at("arch");
    text = text_case.at("text");
    const auto ids = [](const nlohmann::json& of, const char* key) { return of.at(key).get<std::vector<TokenId>>(); };
    const auto floats = [](const nlohmann::json& of, const char* key) { return of.at(key).get<std::vector<float>>(); };
    prompt_ids = ids(expected, "prompt_ids");
    long_ids = ids(expected, "long_ids");
    text_ids = ids(text_case, "ids");
    embedding = floats(expected, "embedding");
    long_embedding = floats(expected, "long_embedding");
    text_embedding = floats(text_case, "embedding");
  }
  std::string path() const { return (folder / "model.gguf").string(); }
  Model load() const { return Model::load(path()); }
  bool has_states() const { return std::filesystem::exists(folder / "hidden.npy"); }
  Matrix states() const { return read_npy(folder / "hidden.npy"); }
};

inline const std::vector<std::string> kEncoders = {"modernbert", "nomicbert", "t5enc", "xlmrrank"};

}  // namespace skald::test
