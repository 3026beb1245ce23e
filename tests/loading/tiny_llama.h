// TinyLlama: a llama model of one layer with made-up weights, to be written as it is or spoilt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/gguf.h"

namespace skald::test {

class TinyLlama {
 public:
  static constexpr uint32_t kF32 = 0;
  static constexpr int64_t kVocab = 40, kModel = 32, kFf = 64;

  Meta meta;

  TinyLlama() {
    meta.set("general.architecture", std::string("llama"));
    meta.set("llama.context_length", uint32_t{64});
    meta.set("llama.block_count", uint32_t{1});
    meta.set("llama.embedding_length", uint32_t{kModel});
    meta.set("llama.feed_forward_length", uint32_t{kFf});
    meta.set("llama.attention.head_count", uint32_t{2});
    meta.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    set("token_embd.weight", Shape{kVocab, kModel});
    set("output_norm.weight", Shape{kModel});
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) set_block(name, Shape{kModel, kModel});
    for (const char* name : {"attn_norm", "ffn_norm"}) set_block(name, Shape{kModel});
    set_block("ffn_gate", Shape{kFf, kModel});
    set_block("ffn_up", Shape{kFf, kModel});
    set_block("ffn_down", Shape{kModel, kFf});
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
  void set_block(const std::string& name, Shape shape) { set("blk.0." + name + ".weight", shape); }

  std::map<std::string, Tensor> tensors_;
};

}  // namespace skald::test
