#include "tools/synth/synth.h"

#include <cstring>

#include "tools/synth/model_shape.h"
#include "tools/synth/synth_vocab.h"

namespace skald {
namespace {

// Counts bytes and says their share of all.
class Counter {
 public:
  Counter(int64_t total, const SynthProgress& progress) : total_(total), progress_(progress) {}

  void add(size_t bytes) {
    done_ += static_cast<int64_t>(bytes);
    if (progress_) progress_(static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  int64_t total_, done_ = 0;
  const SynthProgress& progress_;
};

}  // namespace

std::shared_ptr<const LoadedModel> synth_model(const SynthSpec& spec, const LoadOptions& options,
                                               const SynthProgress& progress) {
  SynthRecipe recipe = synth_recipe(spec);
  Counter counter(recipe.bytes(), progress);
  WeightSet set;
  std::vector<Buffer> memory;
  for (const SynthRecipe::Weight& w : recipe.weights) {
    const Buffer& buffer = memory.emplace_back(w.tensor.bytes());
    recipe.give(w, [&, out = buffer.data()](std::span<const std::byte> piece) mutable {
      std::memcpy(out, piece.data(), piece.size());
      out += piece.size();
      counter.add(piece.size());
    });
    set.weights.emplace(
        w.name, WeightSet::Weight{find_gguf_type(w.tensor.format->id), w.tensor.shape, buffer.data(), buffer.size()});
  }
  return LoadedModel::from_memory(std::move(recipe.meta), std::move(set), std::move(memory), options);
}

int64_t write_synth_file(const SynthSpec& spec, const std::string& path, const SynthProgress& progress) {
  const SynthRecipe recipe = synth_recipe(spec);
  Counter counter(recipe.bytes(), progress);
  GgufWriter writer;
  writer.meta = recipe.meta;
  add_synth_vocab(writer.meta, find_shape(spec.shape).n_vocab);
  for (const SynthRecipe::Weight& w : recipe.weights)
    writer.add_tensor(w.name, w.tensor.shape, w.tensor.format->id, [&](const TakeBytes& take) {
      recipe.give(w, [&](std::span<const std::byte> piece) {
        take(piece);
        counter.add(piece.size());
      });
    });
  writer.write(path);
  return recipe.bytes();
}

}  // namespace skald
