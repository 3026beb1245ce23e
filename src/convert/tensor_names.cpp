#include "convert/tensor_names.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

#include "base/error.h"
#include "convert/layers_ahead.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kWeight = ".weight", kBias = ".bias", kOutput = "lm_head.";

// Buffers that follow from the configuration.
constexpr std::array kBallast = {
    "*.rotary_emb.inv_freq", "*.rope.freqs",   "*.attn.bias",   "*.attn.masked_bias", "*.attention.bias",
    "*.masked_bias",         "*.position_ids", "*.input_scale", "*.k_scale",          "*.v_scale",
};

// Parts of a model that are not for text.
constexpr std::array kNotText = {
    "*vision_tower.*",
    "*multi_modal_proj*.*",
    "*vision_model.*",
    "*.visual.*",
    "visual.*",
    "*audio_tower.*",
    "*patch_merger.*",
    "*vision_encoder.*",
    "*vision_language_adapter.*",
    "*.vision_adapter.*",
    "*embed_vision.*",
    "*embed_audio.*",
    "*.vision_projection.*",
};

bool matches_one(const std::string& name, const auto& patterns) {
  return std::ranges::any_of(patterns,
                             [&](const auto& p) { return ::fnmatch(std::string(p).c_str(), name.c_str(), 0) == 0; });
}

bool is_whole(const TensorRule& rule) { return rule.whole || rule.to.ends_with(kWeight) || rule.to.ends_with(kBias); }

bool has(std::string_view text, char c) { return text.find(c) != text.npos; }

std::string with(std::string_view pattern, char place, int64_t number) {
  std::string out(pattern);
  if (const size_t at = out.find(place); at != out.npos) out.replace(at, 1, std::to_string(number));
  return out;
}

int64_t main_layers(const MetaView& m) { return m.i64("block_count") - m.i64("nextn_predict_layers", 0); }

class Namer {
 public:
  Namer(const HfFamily& family, const Checkpoint& checkpoint, const MetaView& m, bool tied, const Hyperparameters& described)
      : family_(family), checkpoint_(checkpoint), m_(m), tied_(tied), described_(described) {}

  NamedTensors run() {
    const int64_t n_layers = m_.in_range("block_count", 1, 10000), n_main = main_layers(m_);
    for (const auto& table : family_.tensors)
      for (const TensorRule& rule : table)
        if (!has(rule.to, '#')) apply(rule, 0, std::string(rule.from));
    for (int64_t i = 0; i < n_main; ++i)
      for (const auto& table : family_.tensors)
        for (const TensorRule& rule : table)
          if (has(rule.to, '#')) apply(rule, i, with(rule.from, '#', i));
    for (int64_t i = n_main; i < n_layers; ++i) layer_ahead(i, n_main);
    for (const StoredTensor& s : checkpoint_.tensors())
      if (!claimed_.contains(&s)) put_aside(s.name);
    return std::move(out_);
  }

 private:
  void layer_ahead(int64_t i, int64_t n_main) {
    for (const TensorRule& rule : family_.ahead.tensors) apply(rule, i, name_ahead(family_, rule.from, i, n_main, 0));
    for (size_t block = 0; block < family_.ahead.blocks.size() && !family_.ahead.blocks[block].empty(); ++block)
      for (const auto& table : family_.tensors)
        for (const TensorRule& rule : table)
          if (has(rule.to, '#')) apply(rule, i, name_ahead(family_, rule.from, i, n_main, block));
  }

  void put_aside(const std::string& name) {
    if (matches_one(name, kNotText))
      out_.not_text.push_back(name);
    else if (matches_one(name, described_.of_layers_ahead()))
      out_.ahead.push_back(name);
    else if (!matches_one(name, kBallast) && !matches_one(name, family_.ballast) && !matches_one(name, described_.ballast()))
      out_.left_over.push_back(name);
  }

  void apply(const TensorRule& rule, int64_t layer, const std::string& from) {
    const std::string to = with(rule.to, '#', layer);
    if (is_whole(rule)) return add(to, from, std::string(rule.to), rule.transform);
    for (const std::string_view leaf : {kWeight, kBias})
      add(to + std::string(leaf), from + std::string(leaf), std::string(rule.to) + std::string(leaf), rule.transform);
  }

  // `pattern`: `to` as the table has it.
  void add(const std::string& to, const std::string& from, const std::string& pattern, Transform transform) {
    std::vector<const StoredTensor*> sources = sources_of(from);
    if (sources.empty()) return;
    claimed_.insert(sources.begin(), sources.end());
    if ((tied_ && from.starts_with(kOutput) && is_embedding(*sources.front())) || !made_.insert(to).second) return;
    doing("tensor " + printable(from), [&] {
      LazyTensor data = has(from, '@') ? stacked(sources, transform) : one(*sources.front(), transform);
      multiply(data, pattern);
      out_.tensors.push_back({to, std::move(data), transform});
    });
  }

  void multiply(LazyTensor& data, const std::string& pattern) const {
    const auto it = described_.factors().find(pattern);
    if (it == described_.factors().end()) return;
    const std::vector<RowFactor>& runs = it->second;
    if (runs.size() == 1 && runs.front().rows == 0)
      data.multiply(runs.front().factor);
    else
      data.multiply(runs);
  }

  // Transformers ties tensors that a checkpoint has twice only where both are the same.
  bool is_embedding(const StoredTensor& s) const {
    const auto at = std::ranges::find(out_.tensors, "token_embd.weight", &NamedTensor::name);
    return at == out_.tensors.end() || std::ranges::equal(at->data.parts.front().stored().data, s.data);
  }

  std::vector<const StoredTensor*> sources_of(const std::string& from) const {
    std::vector<const StoredTensor*> out;
    const bool many = has(from, '@');
    do {
      const StoredTensor* s = checkpoint_.find(with(from, '@', static_cast<int64_t>(out.size())));
      if (!s || matches_one(s->name, described_.ballast())) break;
      out.push_back(s);
    } while (many);
    return out;
  }

  LazyTensor one(const StoredTensor& source, Transform transform) const {
    const StoredView view(source);
    return transform ? transform(view, m_) : LazyTensor::of(view);
  }

  LazyTensor stacked(const std::vector<const StoredTensor*>& sources, Transform transform) const {
    LazyTensor out = one(*sources.front(), transform);
    if (out.shape.rank() == Shape::kMaxRank) fail(Errc::kBadFile, "too many dimensions: {}", out.shape.to_string());
    const Shape each = out.shape;
    for (size_t i = 1; i < sources.size(); ++i) {
      const LazyTensor next = one(*sources[i], transform);
      if (next.shape != each)
        fail(Errc::kBadFile, "want {} as in the first of {}, {} has {}", each.to_string(), sources.size(),
             printable(sources[i]->name), next.shape.to_string());
      out.parts.insert(out.parts.end(), next.parts.begin(), next.parts.end());
    }
    std::array<int64_t, Shape::kMaxRank> dims = {static_cast<int64_t>(sources.size())};
    for (int i = 0; i < each.rank(); ++i) dims[static_cast<size_t>(i) + 1] = each[i];
    out.shape = Shape(dims.data(), each.rank() + 1);
    return out;
  }

  const HfFamily& family_;
  const Checkpoint& checkpoint_;
  const MetaView& m_;
  bool tied_;
  const Hyperparameters& described_;
  NamedTensors out_;
  std::unordered_set<std::string> made_;
  std::unordered_set<const StoredTensor*> claimed_;
};

}  // namespace

NamedTensors name_tensors(const HfFamily& family, const Checkpoint& checkpoint, const MetaView& m, bool tied,
                          const Hyperparameters& described) {
  return Namer(family, checkpoint, m, tied, described).run();
}

std::string checkpoint_name(const HfFamily& family, std::string_view gguf_name, const MetaView& m) {
  // "blk.12.attn_q.weight": the layer, and the name as tables have it.
  int64_t layer = 0;
  std::string pattern(gguf_name);
  if (constexpr std::string_view kBlock = "blk."; gguf_name.starts_with(kBlock)) {
    const char* const begin = gguf_name.data() + kBlock.size();
    const auto [end, error] = std::from_chars(begin, gguf_name.data() + gguf_name.size(), layer);
    pattern = std::string(kBlock) + "#" + std::string(end, gguf_name.data() + gguf_name.size());
  }
  const std::string stem = pattern.substr(0, pattern.rfind('.')), leaf = pattern.substr(stem.size());
  const int64_t n_main = main_layers(m);
  const auto source = [&](const TensorRule& rule) {
    return with(layer < n_main ? with(rule.from, '#', layer) : name_ahead(family, rule.from, layer, n_main, 0), '@', 0);
  };
  const auto in = [&](std::span<const TensorRule> table) -> std::string {
    for (const TensorRule& rule : table) {
      if (rule.to == pattern) return source(rule);
      if (rule.to == stem) return source(rule) + leaf;
    }
    return "";
  };
  for (const auto& table : family.tensors)
    if (std::string name = in(table); !name.empty()) return name;
  return in(family.ahead.tensors);
}

}  // namespace skald
