// PeftFolder: an adapter as PEFT keeps it, made by hand; matrices of random numbers.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/adapter.h"
#include "convert/peft_adapter.h"
#include "io/gguf.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temp_dir.h"

namespace skald::test {

/// The metadata of a golden model.
inline Meta golden_meta(const std::string& name) {
  return Gguf::open((data_dir() / "golden" / name / "model.gguf").string(), FileBytes::How::kMap).meta();
}

class PeftFolder {
 public:
  PeftFolder() : config{{"peft_type", "LORA"}, {"r", 2}, {"lora_alpha", 6}} {}

  /// A and B of a module, (rank, cols) and (rows, rank).
  PeftFolder& module(const std::string& name, int64_t rows, int64_t cols, int64_t rank = 2) {
    tensor(name + ".lora_A.weight", {rank, cols});
    return tensor(name + ".lora_B.weight", {rows, rank});
  }
  PeftFolder& tensor(const std::string& name, const std::vector<int64_t>& shape) {
    int64_t n = 1;
    for (const int64_t d : shape) n *= d;
    return tensor(name, shape, normal(n, ++seed_));
  }
  PeftFolder& tensor(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
    file_.tensor(prefix + name, "F32", shape, values);
    values_[prefix + name] = values;
    return *this;
  }
  const std::vector<float>& values(const std::string& name) const { return values_.at(prefix + name); }

  std::string write() const {
    dir_.write("adapter_config.json", config.dump());
    return dir_.write("adapter_model.safetensors", file_.str()), dir_.path("");
  }
  Adapter read(const Meta& base) const { return read_peft_adapter(write(), base); }
  const TempDir& dir() const { return dir_; }

  nlohmann::json config;
  std::string prefix = "base_model.model.";

 private:
  SafetensorsBytes file_;
  std::map<std::string, std::vector<float>> values_;
  uint64_t seed_ = 0;
  TempDir dir_;
};

/// Returns factor * B A of a weight, of each expert or head one after the other.
inline std::vector<float> dense(const LowRank& change) {
  const Shape &a = change.a.shape(), &b = change.b.shape();
  const int64_t rank = change.rank(), n = b[b.rank() - 2], k = a.back(), slices = a.rank() == 3 ? a[0] : 1;
  const std::vector<float> va = change.a.values(), vb = change.b.values();
  std::vector<float> out(static_cast<size_t>(slices * n * k));
  for (int64_t s = 0; s < slices; ++s)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t r = 0; r < rank; ++r)
        for (int64_t j = 0; j < k; ++j)
          out[static_cast<size_t>((s * n + i) * k + j)] += change.factor * vb[static_cast<size_t>((s * n + i) * rank + r)] *
                                                           va[static_cast<size_t>((s * rank + r) * k + j)];
  return out;
}

}  // namespace skald::test
