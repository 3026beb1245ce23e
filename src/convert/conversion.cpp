#include "convert/conversion.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "convert/bias_flags.h"
#include "convert/generation_config.h"
#include "convert/layers_ahead.h"
#include "convert/sentence_inputs.h"
#include "convert/sentence_modules.h"
#include "convert/target_type.h"
#include "convert/tensor_names.h"
#include "convert/unread_config.h"
#include "io/printable.h"
#include "models/family.h"
#include "models/parts/pooled_head.h"
#include "quant/encoder.h"
#include "tensor/finite.h"

namespace skald {
namespace {

constexpr size_t kShown = 5, kShownKeys = 8;          // names of a list
constexpr int64_t kPieceElements = int64_t{1} << 22;  // made at once: 16 MiB of floats

// The tensors as a model file would have them, for building the graph.
class Lookup {
 public:
  explicit Lookup(const std::vector<Conversion::Tensor>& tensors) {
    for (const Conversion::Tensor& t : tensors) descs_.emplace(t.name, t.desc);
  }

  std::optional<TensorDesc> find(std::string_view name) {
    const auto it = descs_.find(name);
    if (it != descs_.end()) return it->second;
    missing_ = name;
    return std::nullopt;
  }
  /// Returns the name that was looked for last and not found.
  const std::string& missing() const { return missing_; }

 private:
  std::map<std::string, TensorDesc, std::less<>> descs_;
  std::string missing_;
};

// 7.2B, 135M: two digits, as model names have it.
std::string size_label(int64_t parameters) {
  const auto n = static_cast<double>(parameters);
  for (const auto& [unit, letter] : {std::pair{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}})
    if (n >= unit) return fmt::format("{:.{}f}{}", n / unit, n / unit < 9.5 ? 1 : 0, letter);
  return fmt::format("{:.{}f}K", n / 1e3, n < 9.5e3 ? 1 : 0);
}

// The unit of work: `rows` rows of a part, which are one of the tensor.
struct PartRows {
  const LazyTensor& tensor;
  size_t part;
  int64_t rows = tensor.rows_of_part(part), cols = rows * view().cols();

  const StoredView& view() const { return tensor.parts[part]; }
  int64_t count() const { return view().rows() / rows; }
  void read(int64_t i, float* out) const { tensor.read(part, i * rows, out); }
};

[[noreturn]] void refuse_row(const Conversion::Tensor& tensor, const PartRows& from, int64_t row) {
  std::vector<float> x(static_cast<size_t>(from.cols));
  from.read(row, x.data());
  const int64_t column = first_unfit(*tensor.desc.format, x.data(), from.cols);
  SKALD_ASSERT(column < from.cols);
  const float bad = x[static_cast<size_t>(column)];
  fail(Errc::kBadFile, "tensor {}, row {}, column {}: {} {}", printable(from.view().stored().name), row, column, bad,
       std::isfinite(bad) ? fmt::format("is more than {} holds", tensor.desc.format->name) : "is not finite");
}

// Rows from the row `first` on, in the tensor's format, made by all threads.
void make_rows(const Conversion::Tensor& tensor, const PartRows& from, int64_t first, ThreadPool& pool,
               std::span<std::byte> out) {
  const Format& format = *tensor.desc.format;
  const bool copied = tensor.data.format() == &format;
  const int64_t cols = from.cols, row_bytes = format.bytes(cols), n = static_cast<int64_t>(out.size()) / row_bytes;
  std::atomic<int64_t> unfit = n;
  const ScopedFlushDenormals as_workers_do;  // so that any thread may make a row
  pool.ranges(n, 1, [&](int64_t begin, int64_t end, int) {
    std::vector<float> row(copied ? 0 : static_cast<size_t>(cols));
    for (int64_t r = begin; r < end; ++r) {
      std::byte* const to = out.data() + r * row_bytes;
      if (copied) {
        for (int64_t i = 0; i < from.rows; ++i)
          from.view().copy_row((first + r) * from.rows + i, to + i * format.bytes(from.view().cols()));
        if (all_finite(format, to, cols)) continue;
        unfit = r;
        return;
      }
      from.read(first + r, row.data());
      if (first_unfit(format, row.data(), cols) < cols) {
        unfit = r;
        return;
      }
      encode_weights(format, row.data(), nullptr, to, cols);
    }
  });
  if (unfit < n) refuse_row(tensor, from, first + unfit);
}

}  // namespace

Conversion::Conversion(const HfDirectory& dir, const ConvertOptions& options) : checkpoint_(dir) {
  doing(dir.path(), [&] {
    const HfConfig whole(dir.config());
    const HfFamily& family = find_hf_family(whole);
    const nlohmann::json text = whole.text().over(nlohmann::json::parse(family.defaults));
    const HfConfig config = whole.text().saying(text);
    const Format* wanted = options.type.empty() ? nullptr : &target_format(options.type);
    meta_.set("general.architecture", std::string(family.arch));
    meta_.set("general.type", std::string("model"));
    Hyperparameters hyperparameters(meta_, std::string(family.arch));
    describe(family, config, hyperparameters);
    const bool tied = whole.flag("tie_word_embeddings", config.flag("tie_word_embeddings", false));
    modules_ = SentenceModules::read(dir);
    modules_.describe(std::string(family.arch), meta_);
    describe_sentence_inputs(dir, meta_);
    if (family.measure) family.measure(checkpoint_, config, hyperparameters);
    if (options.layers_ahead)
      add_layers_ahead(family, checkpoint_, MetaView(meta_, std::string(family.arch)), hyperparameters);
    NamedTensors named = name_tensors(family, checkpoint_, MetaView(meta_, std::string(family.arch)), tied, hyperparameters);
    const bool apart = !whole.flag("tie_word_embeddings", config.flag("tie_word_embeddings", true));
    if (apart && std::ranges::find(named.tensors, "output.weight", &NamedTensor::name) == named.tensors.end())
      log(LogLevel::kWarn, "{}: tie_word_embeddings is false, but there is no output matrix: the embeddings are taken",
          dir.path());
    if (!named.not_text.empty())
      log(LogLevel::kWarn, "{}: {} tensors are not of its language model and are left out: {}", dir.path(),
          named.not_text.size(), some_of(named.not_text, kShown));
    if (!named.ahead.empty())
      log(LogLevel::kWarn, "{}: {} tensors of layers that predict further tokens are left out: {}", dir.path(),
          named.ahead.size(), some_of(named.ahead, kShown));
    if (!named.left_over.empty())
      fail(Errc::kUnsupported, "architecture {} gives these tensors no meaning: {}", family.arch,
           some_of(named.left_over, kShown));
    if (const std::string differ = bias_flags_that_differ(config, named.tensors); !differ.empty())
      log(LogLevel::kWarn, "{}: config.json: {}", dir.path(), differ);
    add_computed(hyperparameters);
    for (NamedTensor& t : named.tensors) add(std::move(t.name), std::move(t.data), wanted);
    for (const DenseModule& d : modules_.dense) add(d.name + ".weight", LazyTensor::of(StoredView(*d.matrix)), wanted);
    check(family);
    if (const std::vector<std::string> unread = unread_config_keys(whole); !unread.empty())
      log(LogLevel::kWarn, "{}: config.json has {} that architecture {} does not read: {}", dir.path(),
          unread.size() == 1 ? "a key" : "keys", family.arch, some_of(unread, kShownKeys));
    add_general_keys(dir.name(), wanted);
    add_sampling_defaults(dir, meta_);
  });
  const auto embedding = std::ranges::find(tensors_, "token_embd.weight", &Tensor::name);
  try {
    convert_tokenizer(dir, embedding->desc.shape[0], meta_, options.tokenizer);
  } catch (const Error& e) {
    if (options.need_tokenizer) throw;
    log(LogLevel::kWarn, "{}", e.what());
  }
}

void Conversion::add_computed(const Hyperparameters& from) {
  for (const auto& [name, values] : from.tensors()) {
    const std::vector<float>& kept = computed_values_.emplace_back(values);
    const StoredTensor& stored = computed_.emplace_back(
        StoredTensor{name, Element::kF32, {static_cast<int64_t>(kept.size())}, std::as_bytes(std::span(kept))});
    add(name, LazyTensor::of(StoredView(stored)), nullptr);
  }
}

void Conversion::add(std::string name, LazyTensor data, const Format* wanted) {
  const Format& format = target_format(name, data, wanted);
  tensors_.push_back({std::move(name), {&format, data.shape}, std::move(data)});
}

// The family's graph knows which tensors a model has, and their shapes.
void Conversion::check(const HfFamily& family) const {
  const std::string arch(family.arch);
  Lookup lookup(tensors_);
  Graph graph;
  const auto look = [&](std::string_view name, const Shape*) { return lookup.find(name); };
  Net net(graph, look, {1, 1});
  const MetaView m(meta_, arch);
  try {
    const Family& model = find_family(arch);
    skald::Tensor out = model.build(net, m);
    if (net.has_weight("cls.output.weight")) out = score_head(net, out, model.score_head);
    if (!modules_.dense.empty())
      dense_head(net, net.given_rows("pooled", 1, lookup.find("token_embd.weight")->shape.back()));
    graph.give(out.id);
    for (int64_t i = 1; i <= m.i64("nextn_predict_layers", 0); ++i) {
      Net ahead(graph, look, {.ahead = i});
      model.build(ahead, m);
    }
  } catch (Error& e) {
    const std::string in_checkpoint = checkpoint_name(family, lookup.missing(), m);
    if (e.code() == Errc::kNotFound && !in_checkpoint.empty() &&
        std::string(e.what()).find(lookup.missing()) != std::string::npos)
      e.add("the checkpoint has no " + in_checkpoint);
    throw;
  }
  for (const Tensor& t : tensors_)
    if (graph.find(Source::kWeight, t.name) < 0)
      fail(Errc::kUnsupported, "architecture {} has no use for the tensor {}", arch,
           printable(t.data.parts.front().stored().name));
}

void Conversion::add_general_keys(const std::string& name, const Format* wanted) {
  std::map<const Format*, int64_t> elements;
  int64_t all = 0;
  for (const Tensor& t : tensors_) {
    elements[t.desc.format] += t.desc.shape.elements();
    all += t.desc.shape.elements();
  }
  const auto most = std::ranges::max_element(elements, {}, [](const auto& e) { return e.second; });
  const Format& main = wanted ? *wanted : *most->first;
  meta_.set("general.name", valid_utf8(name));
  meta_.set("general.size_label", size_label(all));
  if (const std::optional<uint32_t> type = file_type(main)) meta_.set("general.file_type", *type);
  meta_.set("general.quantization_version", uint32_t{2});
}

int64_t Conversion::bytes() const {
  int64_t sum = 0;
  for (const Tensor& t : tensors_) sum += t.desc.bytes();
  return sum;
}

std::optional<std::span<const std::byte>> Conversion::in_place(const Tensor& tensor) const {
  const LazyTensor& data = tensor.data;
  const bool whole = data.parts.size() == 1 && data.parts.front().is_whole() && data.format() == tensor.desc.format;
  if (!whole || tensor.desc.format->block != 1) return std::nullopt;
  const std::span<const std::byte> bytes = data.parts.front().stored().data;
  const bool aligned =
      reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uintptr_t>(tensor.desc.format->block_bytes) == 0;
  const bool all = static_cast<int64_t>(bytes.size()) == tensor.desc.bytes();
  return aligned && all ? std::optional(bytes) : std::nullopt;
}

void Conversion::give(const Tensor& tensor, ThreadPool& pool,
                      const std::function<void(std::span<const std::byte>)>& take) const {
  std::vector<std::byte> bytes;
  for (size_t part = 0; part < tensor.data.parts.size(); ++part) {
    const PartRows from{tensor.data, part};
    const int64_t rows = from.count(), at_once = std::max<int64_t>(1, kPieceElements / from.cols);
    for (int64_t first = 0; first < rows; first += at_once) {
      const int64_t n = std::min(at_once, rows - first);
      bytes.resize(static_cast<size_t>(tensor.desc.format->bytes(n * from.cols)));
      make_rows(tensor, from, first, pool, bytes);
      take(bytes);
      // All of it: rows of a view may lie anywhere. A large tensor would otherwise be in memory as a whole at the end.
      checkpoint_.give_back(from.view().stored());
    }
  }
}

}  // namespace skald
