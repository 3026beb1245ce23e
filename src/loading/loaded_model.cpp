#include "loading/loaded_model.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/log.h"
#include "convert/conversion.h"
#include "convert/hf_directory.h"
#include "graph/input_names.h"
#include "graph/only_for.h"
#include "graph/pick_early.h"
#include "graph/steer.h"
#include "io/printable.h"
#include "loading/calibration.h"
#include "loading/control_vectors.h"
#include "loading/merge_loras.h"
#include "loading/model_sum.h"
#include "loading/unread_keys.h"
#include "loading/weight_store.h"
#include "models/parts/hparams.h"
#include "models/parts/pooled_head.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

constexpr int64_t kMaxContext = int64_t{1} << 30;

bool uses(std::span<const Graph> graphs, std::string_view tensor) {
  return std::ranges::any_of(graphs, [&](const Graph& g) { return g.find(Source::kWeight, tensor) >= 0; });
}

// "a.weight.scale", or an "a.scale" that the graph did not ask for: a.weight is wrong without it.
void refuse_scale_of_a_used_tensor(std::span<const Graph> graphs, std::string_view name) {
  for (std::string_view ending : {".scale", "_scale", ".scale_inv", "_scale_inv", "_scale_2"}) {
    if (!name.ends_with(ending)) continue;
    const std::string stem(name.substr(0, name.size() - ending.size()));
    if (uses(graphs, stem) || uses(graphs, stem + ".weight"))
      fail(Errc::kUnsupported, "tensor {} scales another in a way that is not supported", printable(name));
  }
}

// Of layers after those that a step computes, which predict tokens further on.
bool in_layer_ahead(std::string_view name, const MetaView& m) {
  const int64_t n_ahead = m.i64("nextn_predict_layers", 0), n_layers = m.i64("block_count", 0);
  for (int64_t i = n_layers - n_ahead; i < n_layers; ++i)
    if (name.starts_with(fmt::format("blk.{}.", i))) return true;
  return false;
}

// Every tensor should mean something to the family: an unread one hints at a wrong result. The activation scales of nvfp4
// files (graph/net.h) are for engines that round these too.
void warn_of_unused(std::span<const Graph> graphs, const WeightSet& weights, const MetaView& m, const std::string& arch) {
  for (const auto& [name, weight] : weights.weights) {
    if (uses(graphs, name) || name.ends_with(".input_scale") || in_layer_ahead(name, m)) continue;
    refuse_scale_of_a_used_tensor(graphs, name);
    log(LogLevel::kWarn, "tensor {} is not used by architecture {}", printable(name), arch);
  }
}

// The tensors count: some files were given more tokens after they were made.
void warn_of_vocab_size(const MetaView& m, int64_t n_vocab) {
  if (const int64_t said = m.i64("vocab_size", n_vocab); said != n_vocab)
    log(LogLevel::kWarn, "key {} says {}, and the tensors are for {} tokens", m.full("vocab_size"), said, n_vocab);
}

// Tokens that a graph has logits or, of an encoder, vectors for.
int64_t vocab_size(const Graph& graph) {
  if (const int logits = graph.output(); logits >= 0) return graph.node(logits).out.shape.back();
  const int table = graph.find(Source::kWeight, "token_embd.weight");
  SKALD_ASSERT(table >= 0);
  return graph.node(table).out.shape[0];
}

// The divisor of positions, looked up without a mark in the list of read keys.
double rope_factor(const Meta& meta) {
  const auto* arch = std::get_if<std::string>(meta.peek("general.architecture"));
  const MetaValue* factor = arch ? meta.peek(*arch + ".rope.scaling.factor") : nullptr;
  if (!factor) return 1;
  const auto* type = std::get_if<std::string>(meta.peek(*arch + ".rope.scaling.type"));
  if (type && *type == "none") return 1;
  return std::visit(
      [](const auto& x) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>>)
          return static_cast<double>(x);
        else
          return 1.0;
      },
      *factor);
}

void refuse_adapter(const Meta& meta) {
  if (const auto* type = std::get_if<std::string>(meta.peek("general.type")); type && *type == "adapter")
    fail(Errc::kBadFile, "it is an adapter (LoRA), and not a model; give it as --lora of its base model");
}

}  // namespace

LoadedModel::LoadedModel(const LoadOptions& options, std::string name)
    : overrides_(options.override_kv),
      calibration_(options.calibration),
      control_vectors_(options.control_vectors),
      control_layers_(options.control_layers),
      name_(std::move(name)) {}
LoadedModel::~LoadedModel() = default;

std::shared_ptr<const LoadedModel> LoadedModel::from_gguf(Gguf gguf, const std::string& name, const LoadOptions& options) {
  std::shared_ptr<LoadedModel> model(new LoadedModel(options, name));
  model->meta_ = std::move(gguf.meta());
  model->store_ = std::make_shared<WeightStore>(std::move(gguf));
  model->check();
  model->merge(options);
  return model;
}

std::shared_ptr<const LoadedModel> LoadedModel::from_memory(Meta meta, WeightSet weights, std::vector<Buffer> memory,
                                                            const LoadOptions& options) {
  std::shared_ptr<LoadedModel> model(new LoadedModel(options, "model"));
  model->meta_ = std::move(meta);
  model->store_ = std::make_shared<WeightStore>(std::move(weights), std::move(memory));
  model->check();
  return model;
}

std::shared_ptr<const LoadedModel> LoadedModel::from_directory(const std::string& path, const LoadOptions& options) {
  const HfDirectory dir(path);
  std::shared_ptr<LoadedModel> model(new LoadedModel(options, dir.name()));
  auto conversion =
      std::make_unique<Conversion>(dir, ConvertOptions{.need_tokenizer = false, .layers_ahead = options.layers_ahead});
  model->meta_ = std::move(conversion->meta());
  model->store_ = std::make_shared<WeightStore>(std::move(conversion), options.mmap, options.on_progress);
  doing(path, [&] { model->check(); });
  model->merge(options);
  return model;
}

void LoadedModel::merge(const LoadOptions& options) {
  if (!options.loras.empty()) merge_loras(*this, *store_, options.loras, options.on_progress);
}

const WeightSet& LoadedModel::weights() const { return store_->weights(); }
int64_t LoadedModel::file_bytes() const { return store_->file_bytes(); }
Sha256Sum LoadedModel::fingerprint() const { return sha256({meta_sum(meta_), store_->sum()}); }

void LoadedModel::calibrate() {
  if (!calibration_.empty()) {
    Gguf file = open_calibration(calibration_);
    want_same_model(file, calibration_, ModelMark(weights()));
    store_->add(std::move(file));
  }
  check_index_bases(weights());
}

void LoadedModel::take_control_vectors() {
  const MetaView m(meta_, arch_);
  if (control_vectors_.empty()) return;
  const SteeredModel model{arch_, read_layer_count(m), m.i64("embedding_length")};
  for (const auto& [layer, vector] : read_control_vectors(control_vectors_, control_layers_, model)) {
    store_->add(control_vector_name(layer), vector);
    steered_.push_back(layer);
  }
}

Graph LoadedModel::steered(Graph graph) const {
  if (steered_.empty()) return graph;
  if (!graph.causal) fail(Errc::kUnsupported, "control vectors: architecture {} writes no text", arch_);
  return doing(fmt::format("control vectors: architecture {}", arch_),
               [&] { return steer(graph, steered_, MetaView(meta_, arch_).i64("embedding_length")); });
}

void LoadedModel::check() {
  const double factor_before = rope_factor(meta_);
  overrides_.apply(meta_);
  overrides_.reading([&] {
    refuse_adapter(meta_);
    name_ = meta_.str("general.name", name_);
    arch_ = meta_.str("general.architecture");
    family_ = &find_family(arch_);
    n_ctx_train_ = MetaView(meta_, arch_).in_range("context_length", 1, kMaxContext);
    calibrate();
    take_control_vectors();
    const Graph graph = build_graph({1, 1});
    const double longer = std::max(1.0, rope_factor(meta_) / factor_before);
    n_ctx_scaled_ = std::llround(std::min(static_cast<double>(n_ctx_train_) * longer, static_cast<double>(kMaxContext)));
    n_vocab_ = vocab_size(graph);
    states_ = graph.states;
    prefix_end_ = graph.prefix_end;
    causal_ = graph.causal;
    if (const int states = graph.output(output_names::kStates); states >= 0) d_states_ = graph.node(states).out.shape.back();
    vector_params_ = read_vector_params(MetaView(meta_, arch_));
    has_scores_ = weights().find("cls.output.weight").has_value();
    std::vector<Graph> graphs = {graph, build_graph({.indexed = true}), build_head(1, /*scores=*/false)};
    if (has_scores_) graphs.push_back(build_head(1, /*scores=*/true));
    warn_of_unused(graphs, weights(), MetaView(meta_, arch_), arch_);
    warn_of_vocab_size(MetaView(meta_, arch_), n_vocab_);
    warn_of_unread(unread_model_keys(meta_, arch_), fmt::format("architecture {}", arch_));
  });
}

const Tokenizer* LoadedModel::find_tokenizer() const {
  std::call_once(tokenizer_once_, [this] {
    try {
      tokenizer_ = overrides_.reading([this] { return Tokenizer::create(meta_); });
      warn_of_unread(unread_tokenizer_keys(meta_), "its tokenizer");
    } catch (const Error& e) {
      tokenizer_error_ = e.what();
    }
  });
  return tokenizer_.get();
}

const Tokenizer& LoadedModel::tokenizer() const {
  if (const Tokenizer* tokenizer = find_tokenizer()) return *tokenizer;
  fail(Errc::kUnsupported, "this model has no usable tokenizer: {}", tokenizer_error_);
}

void LoadedModel::want_writer() const {
  if (!causal_)
    fail(Errc::kUnsupported,
         "model {} (architecture {}) has no causal attention: it gives vectors of texts (skald embed, skald rerank) and "
         "writes none",
         name_, arch_);
}

int64_t LoadedModel::prefix_length(std::span<const TokenId> prompt) const {
  if (!causal_) return std::ssize(prompt);
  if (!has_prefix()) return 0;
  const auto end = std::ranges::find(prompt, prefix_end_);
  if (end != prompt.end() && end != prompt.begin()) return end - prompt.begin();
  const Tokenizer* tokenizer = find_tokenizer();
  const bool has_text = tokenizer && tokenizer->vocab().contains(prefix_end_);
  fail(Errc::kBadInput, "the prompt has no part that ends before token {}{}, as this model's prompts must", prefix_end_,
       has_text ? fmt::format(" ({})", tokenizer->vocab().pieces[static_cast<size_t>(prefix_end_)]) : "");
}

StepModel LoadedModel::step_model() const {
  std::call_once(values_once_, [this] { weights().want_finite_small_ones(); });
  return {.graph = [this](const StepCapacity& capacity) { return build_graph(capacity); },
          .weights = store_,
          .states = states_,
          .n_vocab = n_vocab_};
}

WeightLookup LoadedModel::lookup() const {
  return [this](std::string_view name, const Shape*) { return weights().find(name); };
}

int64_t LoadedModel::layers_ahead() const { return MetaView(meta_, arch_).i64("nextn_predict_layers", 0); }

int64_t LoadedModel::bytes_ahead() const {
  int64_t sum = 0;
  for (const auto& [name, weight] : weights().weights)
    if (in_layer_ahead(name, MetaView(meta_, arch_))) sum += weight.bytes;
  return sum;
}

std::vector<StateSpec> LoadedModel::states_ahead() const {
  want_layer_ahead();
  return build_graph({.ahead = 1}).states;
}

void LoadedModel::want_layer_ahead() const {
  if (layers_ahead() == 0)
    fail(Errc::kUnsupported,
         "draft.kind: mtp wants a model with layers that predict further tokens, and {} has none (key {})", name_,
         MetaView(meta_, arch_).full("nextn_predict_layers"));
}

StepModel LoadedModel::step_model_with_hidden() const {
  want_layer_ahead();
  StepModel out = step_model();
  out.gives_hidden = true;
  out.graph = [this](StepCapacity capacity) {
    capacity.hidden = true;
    return build_graph(capacity);
  };
  out.loaded_graph = [this](StepCapacity capacity) {
    Graph both;
    build_into(both, capacity);
    capacity.ahead = 1;
    build_into(both, capacity);
    return steered(std::move(both));
  };
  return out;
}

StepModel LoadedModel::ahead_model(std::shared_ptr<const DeviceWeights> weights) const {
  StepModel out = step_model();
  out.gives_hidden = true;
  out.graph = [this](StepCapacity capacity) {
    capacity.ahead = 1;
    return build_graph(capacity);
  };
  out.loaded = std::move(weights);
  out.states = states_ahead();
  return out;
}

void LoadedModel::build_into(Graph& graph, const StepCapacity& capacity) const {
  Net net(graph, lookup(), capacity);
  const MetaView m(meta_, arch_);
  if (!m.flag("attention.causal", true)) net.see_all();
  net.give(family_->build(net, m));
  if (capacity.ahead && graph.find(Source::kInput, input_names::kHidden) < 0)
    fail(Errc::kUnsupported, "draft.kind: mtp: the layers of architecture {} that predict further tokens are not known ({})",
         arch_, m.full("nextn_predict_layers"));
}

Graph LoadedModel::build_graph(StepCapacity capacity) const {
  Graph graph;
  build_into(graph, capacity);
  if (!capacity.ahead) graph = steered(std::move(graph));
  if (!capacity.states) return pick_early(graph);
  if (graph.output(output_names::kStates) < 0)
    fail(Errc::kUnsupported, "architecture {} does not give the states of its last norm", arch_);
  return pick_early(only_for(graph, output_names::kStates));
}

Pooling LoadedModel::score_pooling() const {
  if (vector_params_.classifier) return *vector_params_.classifier;
  if (family_->score_head.of_mean) return Pooling::kMean;
  return causal_ ? Pooling::kLast : Pooling::kCls;
}

Graph LoadedModel::build_head(int64_t texts, bool scores) const {
  Graph graph;
  Net net(graph, lookup());
  const Tensor pooled = net.given_rows("pooled", texts, d_states_);
  graph.give((scores ? score_head(net, pooled, family_->score_head) : dense_head(net, pooled)).id, output_names::kHead);
  return graph;
}

}  // namespace skald
