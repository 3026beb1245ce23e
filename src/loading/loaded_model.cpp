#include "loading/loaded_model.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/cpu_features.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "convert/conversion.h"
#include "convert/hf_directory.h"
#include "graph/pick_early.h"

namespace skald {
namespace {

constexpr int64_t kMaxContext = int64_t{1} << 30;

// Every tensor should mean something to the family: an unread one hints at a wrong result.
void warn_of_unused(const Graph& graph, const WeightSet& weights, const std::string& arch) {
  for (const auto& [name, weight] : weights.weights)
    if (graph.find(Source::kWeight, name) < 0) log(LogLevel::kWarn, "tensor {} is not used by architecture {}", name, arch);
}

}  // namespace

LoadedModel::LoadedModel(LoadOptions options) : options_(std::move(options)), overrides_(options_.override_kv) {}
LoadedModel::~LoadedModel() = default;

const Meta& LoadedModel::meta() const { return gguf_ ? gguf_->meta() : conversion_ ? conversion_->meta() : meta_; }

std::optional<TensorDesc> WeightSet::find(std::string_view name) const {
  const auto it = weights.find(std::string(name));
  if (it == weights.end()) return std::nullopt;
  const Format* format = format_of(*it->second.type);
  if (!format) fail(Errc::kUnsupported, "tensor {}: type {} is not supported", name, it->second.type->name);
  return TensorDesc{format, it->second.shape};
}

WeightPlace WeightSet::place(std::string_view name) const {
  const Weight& w = weights.at(std::string(name));
  return w.type->panels ? WeightPlace(nullptr, w.data) : WeightPlace(w.data);
}

std::shared_ptr<const LoadedModel> LoadedModel::from_gguf(Gguf gguf, const std::string& name, LoadOptions options) {
  std::shared_ptr<LoadedModel> model(new LoadedModel(std::move(options)));
  for (const GgufTensor& t : gguf.tensors())
    model->weights_.weights.emplace(t.name,
                                    WeightSet::Weight{t.type, t.shape, t.data.data(), static_cast<int64_t>(t.data.size())});
  model->overrides_.apply(gguf.meta());
  model->gguf_ = std::move(gguf);
  model->settle(name);
  return model;
}

std::shared_ptr<const LoadedModel> LoadedModel::from_memory(Meta meta, WeightSet weights, std::vector<Buffer> memory,
                                                            LoadOptions options) {
  std::shared_ptr<LoadedModel> model(new LoadedModel(std::move(options)));
  model->overrides_.apply(meta);
  model->meta_ = std::move(meta);
  model->weights_ = std::move(weights);
  model->memory_ = std::move(memory);
  model->settle("model");
  return model;
}

std::shared_ptr<const LoadedModel> LoadedModel::from_directory(const std::string& path, LoadOptions options) {
  const HfDirectory dir(path);
  std::shared_ptr<LoadedModel> model(new LoadedModel(std::move(options)));
  auto conversion = std::make_unique<Conversion>(dir, ConvertOptions{.need_tokenizer = false});
  doing(path, [&] { model->overrides_.apply(conversion->meta()); });
  model->conversion_ = std::move(conversion);
  ThreadPool pool(usable_cpus());
  model->add_converted(pool);
  doing(path, [&] { model->settle(dir.name()); });
  return model;
}

void LoadedModel::add_converted(ThreadPool& pool) {
  for (const Conversion::Tensor& tensor : conversion_->tensors()) {
    const GgufType* type = find_gguf_type(tensor.desc.format->id);
    const std::optional<std::span<const std::byte>> there = options_.mmap ? conversion_->in_place(tensor) : std::nullopt;
    const std::byte* data = there ? there->data() : nullptr;
    if (there) {
      bytes_in_checkpoint_ += static_cast<int64_t>(there->size());
    } else {
      const Buffer& buffer = memory_.emplace_back(tensor.desc.bytes());
      data = buffer.data();
      conversion_->give(tensor, pool, [to = buffer.data()](std::span<const std::byte> piece) mutable {
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
      });
    }
    weights_.weights.emplace(tensor.name, WeightSet::Weight{type, tensor.desc.shape, data, tensor.desc.bytes()});
  }
}

void LoadedModel::settle(const std::string& name) {
  overrides_.reading([&] { read_meta(name); });
}

void LoadedModel::read_meta(const std::string& name) {
  name_ = meta().str("general.name", name);
  arch_ = meta().str("general.architecture");
  family_ = &find_family(arch_);
  n_ctx_train_ = MetaView(meta(), arch_).in_range("context_length", 1, kMaxContext);
  const Graph graph = build_graph({1, 1});  // checks hyperparameters and weights
  n_vocab_ = graph.node(graph.output).out.shape.back();
  kv_layers_ = graph.kv_layers;
  prefix_end_ = graph.prefix_end;
  warn_of_unused(graph, weights_, arch_);
}

const Tokenizer* LoadedModel::find_tokenizer() const {
  std::call_once(tokenizer_once_, [this] {
    try {
      tokenizer_ = overrides_.reading([this] { return Tokenizer::create(meta()); });
    } catch (const Error& e) {
      tokenizer_error_ = e.what();
    }
  });
  return tokenizer_.get();
}

int64_t LoadedModel::n_parameters() const {
  int64_t sum = 0;
  for (const auto& [name, w] : weights_.weights) sum += w.shape.elements();
  return sum;
}

int64_t LoadedModel::weight_bytes() const {
  int64_t sum = 0;
  for (const auto& [name, w] : weights_.weights) sum += w.bytes;
  return sum;
}

std::string LoadedModel::main_format() const {
  std::map<std::string_view, int64_t> elements;
  for (const auto& [name, w] : weights_.weights) elements[w.type->name] += w.shape.elements();
  const auto most = std::ranges::max_element(elements, {}, [](const auto& e) { return e.second; });
  return most == elements.end() ? "none" : std::string(most->first);
}

const Tokenizer& LoadedModel::tokenizer() const {
  if (const Tokenizer* tokenizer = find_tokenizer()) return *tokenizer;
  fail(Errc::kUnsupported, "this model has no usable tokenizer: {}", tokenizer_error_);
}

int64_t LoadedModel::prefix_length(std::span<const TokenId> prompt) const {
  if (!has_prefix()) return 0;
  const auto end = std::ranges::find(prompt, prefix_end_);
  if (end != prompt.end() && end != prompt.begin()) return end - prompt.begin();
  const Tokenizer* tokenizer = find_tokenizer();
  const bool has_text = tokenizer && tokenizer->vocab().contains(prefix_end_);
  fail(Errc::kBadInput, "the prompt has no part that ends before token {}{}, as this model's prompts must", prefix_end_,
       has_text ? fmt::format(" ({})", tokenizer->vocab().pieces[static_cast<size_t>(prefix_end_)]) : "");
}

// Of memory that is ours alone.
void LoadedModel::give_back_rows(std::string_view name) const {
  if (gguf_) {
    gguf_->give_back(*gguf_->find(name));
  } else if (conversion_ || !memory_.empty()) {
    const WeightSet::Weight& w = weights_.weights.at(std::string(name));
    give_back({w.data, static_cast<size_t>(w.bytes)});
  }
}

std::vector<PackJob> LoadedModel::pack_jobs() const {
  return skald::pack_jobs(build_graph({1, 1}), [this](std::string_view name) { return weights_.place(name); });
}

void LoadedModel::pack() const {
  const std::vector<PackJob> jobs = pack_jobs();
  if (jobs.empty()) return;
  int64_t bytes = 0;
  for (const PackJob& job : jobs) bytes += job.desc.bytes();
  if (gguf_ && bytes > available_memory()) {
    log(LogLevel::kWarn,
        "{} MiB of weights do not fit into memory laid out anew: they are used as they lie, which is slower", bytes >> 20);
    return;
  }
  ThreadPool pool(usable_cpus());
  const auto packed = [&](const PackJob& job, double share) {
    if (!job.rows_needed) give_back_rows(job.name);
    if (options_.progress) options_.progress(share);
  };
  packed_ = std::make_unique<PackedWeights>(
      jobs, [this](std::string_view name) { return weights_.place(name); }, pool, packed);
}

WeightPlace LoadedModel::place(std::string_view name) const {
  WeightPlace place = weights_.place(name);
  if (const PackedWeights::Packed* packed = packed_ ? packed_->find(name) : nullptr) place.panels = packed->panels.data();
  return place;
}

std::vector<std::span<const std::byte>> LoadedModel::bytes_in_use() const {
  std::vector<std::span<const std::byte>> out;
  for (const auto& [name, w] : weights_.weights) {
    const PackedWeights::Packed* packed = packed_ ? packed_->find(name) : nullptr;
    if (packed) out.emplace_back(packed->panels.data(), static_cast<size_t>(packed->panels.size()));
    if (!packed || packed->rows_needed) out.emplace_back(w.data, static_cast<size_t>(w.bytes));
  }
  return out;
}

int64_t LoadedModel::held_bytes() const {
  int64_t sum = 0;
  for (const std::span<const std::byte> piece : bytes_in_use()) sum += static_cast<int64_t>(piece.size());
  return sum;
}

StepModel LoadedModel::step_model() const {
  if (options_.repack) std::call_once(packed_once_, [this] { pack(); });
  return {.graph = [this](const StepCapacity& capacity) { return build_graph(capacity); },
          .weights = [this](std::string_view name) { return place(name); },
          .kv_layers = kv_layers_,
          .n_vocab = n_vocab_};
}

Graph LoadedModel::build_graph(StepCapacity capacity) const {
  Graph graph;
  Net net(
      graph, [this](std::string_view name, const Shape*) { return weights_.find(name); }, capacity);
  graph.output = family_->build(net, MetaView(meta(), arch_)).id;
  return pick_early(graph);
}

}  // namespace skald
