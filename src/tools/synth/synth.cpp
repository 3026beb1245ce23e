#include "tools/synth/synth.h"

#include <cstring>

#include "tools/synth/model_shape.h"
#include "tools/synth/synth_vocab.h"

namespace skald {
namespace {

// Counts bytes.
class Counter {
 public:
  Counter(int64_t total, const OnProgress& on_progress) : total_(total), on_progress_(on_progress) {}

  void add(size_t bytes) {
    done_ += static_cast<int64_t>(bytes);
    if (on_progress_) on_progress_(done_, total_);
  }

 private:
  int64_t total_, done_ = 0;
  const OnProgress& on_progress_;
};

}  // namespace

std::shared_ptr<const LoadedModel> synth_model(const SynthSpec& spec, const LoadOptions& options,
                                               const OnProgress& on_progress) {
  SynthRecipe recipe = synth_recipe(spec);
  Counter counter(recipe.bytes(), on_progress);
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

int64_t write_synth_file(const SynthSpec& spec, const std::string& path, const OnProgress& on_progress) {
  const SynthRecipe recipe = synth_recipe(spec);
  Counter counter(recipe.bytes(), on_progress);
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
