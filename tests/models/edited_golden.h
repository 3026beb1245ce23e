// A golden model with other keys, or whose tensors are laid out as other tools do it, written and loaded again.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/golden.h"
#include "tests/support/temp_dir.h"

namespace skald::test {

class EditedGolden {
 public:
  struct Tensor {
    Shape shape;
    uint32_t type;
    std::vector<std::byte> data;

    size_t row_bytes() const { return data.size() / static_cast<size_t>(shape.rows()); }
    /// Rows [first, first + n) of a matrix, or elements of a vector.
    Tensor rows(int64_t first, int64_t n) const {
      const size_t one = shape.rank() == 1 ? data.size() / static_cast<size_t>(shape[0]) : row_bytes();
      const auto from = data.begin() + first * static_cast<int64_t>(one);
      Shape part = shape;
      part[0] = n;
      return {part, type, {from, from + n * static_cast<int64_t>(one)}};
    }
  };

  /// `set`: the folder of tests/data.
  explicit EditedGolden(const std::string& name, const std::string& set = "golden") : golden(data_dir() / set / name) {
    const Gguf file = Gguf::open((golden.folder / "model.gguf").string(), FileBytes::How::kMap);
    meta = file.meta();
    for (const GgufTensor& t : file.tensors()) tensors[t.name] = {t.shape, t.type->id, {t.data.begin(), t.data.end()}};
  }

  /// Of the key below the architecture.
  template <class T>
  void set(const std::string& key, T value) {
    meta.set(golden.arch + "." + key, std::move(value));
  }
  int64_t get(const std::string& key, int64_t fallback) const { return meta.i64(golden.arch + "." + key, fallback); }
  /// Whether the key has one number for each layer.
  bool by_layer(const std::string& key) const {
    const MetaValue* value = meta.find(golden.arch + "." + key);
    return value && std::holds_alternative<MetaArray>(*value);
  }
  void drop(const std::string& key) {
    Meta rest;
    for (const auto& [name, value] : meta.entries())
      if (name != golden.arch + "." + key) rest.set(name, value);
    meta = rest;
  }
  Tensor take(const std::string& name) {
    Tensor t = std::move(tensors.at(name));
    tensors.erase(name);
    return t;
  }
  bool has(const std::string& name) const { return tensors.contains(name); }

  std::string write(const std::string& name = "model.gguf") const {
    GgufWriter writer;
    writer.meta = meta;
    for (const auto& [tensor, t] : tensors) writer.add_tensor(tensor, t.shape, t.type, t.data);
    writer.write(dir_.path(name));
    return dir_.path(name);
  }
  std::shared_ptr<const LoadedModel> load() const { return Golden::load_gguf(write()); }

  Golden golden;
  Meta meta;
  std::map<std::string, Tensor> tensors;

 private:
  TempDir dir_;
};

}  // namespace skald::test
