// TinyLlama: a llama model of one layer, or a few, with made-up weights, to be written as it is or spoilt.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/gguf.h"

namespace skald::test {

class TinyLlama {
 public:
  static constexpr uint32_t kF32 = 0;
  static constexpr int64_t kVocab = 40, kModel = 32, kFf = 64;

  Meta meta;

  explicit TinyLlama(int64_t layers = 1) {
    meta.set("general.architecture", std::string("llama"));
    meta.set("llama.context_length", uint32_t{64});
    meta.set("llama.block_count", static_cast<uint32_t>(layers));
    meta.set("llama.embedding_length", uint32_t{kModel});
    meta.set("llama.feed_forward_length", uint32_t{kFf});
    meta.set("llama.attention.head_count", uint32_t{2});
    meta.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    set("token_embd.weight", Shape{kVocab, kModel});
    set("output_norm.weight", Shape{kModel});
    for (int64_t i = 0; i < layers; ++i) set_layer("blk." + std::to_string(i) + ".");
  }

  /// Adds or replaces a tensor; its elements are small numbers of both signs where the type is f32.
  void set(const std::string& name, Shape shape, uint32_t type = kF32) {
    const GgufType& t = *find_gguf_type(type);
    std::vector<std::byte> data(static_cast<size_t>(shape.elements() / t.block * t.block_bytes));
    if (type == kF32)
      for (size_t i = 0; i < data.size() / sizeof(float); ++i)
        reinterpret_cast<float*>(data.data())[i] = static_cast<float>((i * 37 + name.size()) % 101) * 0.01f - 0.5f;
    tensors_[name] = {shape, type, std::move(data)};
  }
  /// Adds or replaces a vector.
  void set(const std::string& name, const std::vector<float>& values) {
    set(name, Shape{std::ssize(values)});
    std::ranges::copy(std::as_bytes(std::span(values)), tensors_[name].data.begin());
  }
  /// Changes a tensor's first element, of f32.
  void set_first(const std::string& name, float x) { *reinterpret_cast<float*>(tensors_.at(name).data.data()) = x; }
  void remove(const std::string& name) { tensors_.erase(name); }

  void write(const std::string& path) const {
    GgufWriter writer;
    writer.meta = meta;
    for (const auto& [name, t] : tensors_) writer.add_tensor(name, t.shape, t.type, t.data);
    writer.write(path);
  }

 private:
  struct Tensor {
    Shape shape;
    uint32_t type = kF32;
    std::vector<std::byte> data;
  };
  void set_layer(const std::string& at) {
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) set(at + name + ".weight", Shape{kModel, kModel});
    for (const char* name : {"attn_norm", "ffn_norm"}) set(at + name + ".weight", Shape{kModel});
    set(at + "ffn_gate.weight", Shape{kFf, kModel});
    set(at + "ffn_up.weight", Shape{kFf, kModel});
    set(at + "ffn_down.weight", Shape{kModel, kFf});
  }

  std::map<std::string, Tensor> tensors_;
};

}  // namespace skald::test
