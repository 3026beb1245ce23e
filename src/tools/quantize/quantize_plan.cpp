#include "tools/quantize/quantize_plan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <ranges>

#include "base/error.h"
#include "base/lowercase.h"
#include "io/printable.h"
#include "quant/encoder.h"
#include "quant/registry.h"

namespace skald {
namespace {

// Small matrices, and those that quantising would spoil, as in llama.cpp.
constexpr std::string_view kLeftAlone[] = {"_norm.weight",
                                           "ffn_gate_inp.weight",
                                           "ffn_gate_tid2eid.weight",
                                           "altup",
                                           "laurel",
                                           "per_layer_model_proj",
                                           "ssm_conv1d",
                                           "shortconv.conv.weight",
                                           "indexer.k_proj.weight",
                                           "indexer.q_proj.weight",
                                           "time_mix_first.weight",
                                           "time_mix_w0.weight",
                                           "time_mix_w1.weight",
                                           "time_mix_w2.weight",
                                           "time_mix_v0.weight",
                                           "time_mix_v1.weight",
                                           "time_mix_v2.weight",
                                           "time_mix_a0.weight",
                                           "time_mix_a1.weight",
                                           "time_mix_a2.weight",
                                           "time_mix_g1.weight",
                                           "time_mix_g2.weight",
                                           "time_mix_decay_w1.weight",
                                           "time_mix_decay_w2.weight",
                                           "time_mix_lerp_fused.weight",
                                           "attn_rel_b.weight",
                                           ".position_embd",
                                           "sam.pos_embd",
                                           "sam.neck.",
                                           "sam.net_",
                                           ".rel_pos",
                                           ".patch_embd",
                                           ".patch_merger",
                                           "a.rvq.codebook",
                                           "mm.a.code_embd"};

const Format& target_named(std::string_view name) {
  const Format* format = find_format(lowercase(name));
  if (format && has_encoder(*format)) return *format;
  std::string known;
  for (const Format* f : formats())
    if (has_encoder(*f)) known += (known.empty() ? "" : ", ") + std::string(f->name);
  if (format) fail(Errc::kBadInput, "tensors of type {} can be read, but not made; known: {}", name, known);
  fail(Errc::kBadInput, "no type is named '{}'; known: {}", printable(name), known);
}

bool has_two_dimensions(const Shape& shape) { return shape.rows() > 1; }

bool left_alone(const GgufTensor& t, const QuantizeSpec& spec) {
  const std::string_view name = t.name;
  return !has_two_dimensions(t.shape) || !name.ends_with("weight") || (spec.leave_output && name == "output.weight") ||
         name == "position_embd.weight" || name == "token_types.weight" ||
         std::ranges::any_of(kLeftAlone, [&](std::string_view part) { return name.find(part) != name.npos; });
}

// The layer that a name says: "blk.7.ffn_down.weight"; -1: none.
int64_t layer_of(std::string_view name) {
  int64_t layer = -1;
  if (name.starts_with("blk.")) std::from_chars(name.data() + 4, name.data() + name.size(), layer);
  return layer;
}

int64_t matrices_in(const Shape& shape) { return shape.rank() < 3 ? 1 : shape.rows() / shape[shape.rank() - 2]; }

class Planner {
 public:
  Planner(const Gguf& file, const QuantizeSpec& spec)
      : file_(file), spec_(spec), mix_(find_mix(spec.type)), model_(file.meta()), tied_(!file.find("output.weight")) {
    for (const std::string& t : spec.tensor_types) overrides_.push_back(parse_override(t));
    if (!spec.output_type.empty()) output_ = &target_named(spec.output_type);
    if (!spec.embedding_type.empty()) embedding_ = &target_named(spec.embedding_type);
    for (const GgufTensor& t : file.tensors()) values_ += mix_part(t.name) == MixPart::kAttnV ? 1 : 0;
  }

  std::vector<TensorPlan> plan() {
    std::vector<TensorPlan> out;
    out.reserve(file_.tensors().size());
    for (const GgufTensor& t : file_.tensors()) out.push_back({&t, nullptr});
    if (mix_.format.empty()) return out;
    // Layers are counted in the order of their numbers, in any order of the file.
    std::vector<TensorPlan*> by_layer;
    by_layer.reserve(out.size());
    for (TensorPlan& t : out) by_layer.push_back(&t);
    std::ranges::sort(by_layer, {}, [](const TensorPlan* t) {
      return std::pair(layer_of(t->tensor->name), std::string_view(t->tensor->name));
    });
    for (TensorPlan* t : by_layer) doing("tensor " + printable(t->tensor->name), [&] { choose(*t); });
    return out;
  }

 private:
  struct Override {
    NamePattern names;
    const Format& format;
  };

  static Override parse_override(const std::string& text) {
    const size_t equals = text.rfind('=');
    if (equals == text.npos || equals == 0) fail(Errc::kBadInput, "'{}': want REGEX=TYPE", printable(text));
    return {NamePattern(text.substr(0, equals)), target_named(text.substr(equals + 1))};
  }

  void choose(TensorPlan& t) {
    if (left_alone(*t.tensor, spec_)) return;
    const Format& to = wanted(t);
    if (to.id == t.tensor->type->id) return;
    check_source(*t.tensor);
    t.to = &to;
  }

  const Format& wanted(TensorPlan& t) {
    const MixPart part = mix_part(t.tensor->name);
    const int64_t columns = t.tensor->shape.back();
    if (embedding_ && part == MixPart::kTokenEmbedding && !names_layer_embeddings(t.tensor->name))
      return whole_rows(*embedding_, columns);
    if (output_ && part == MixPart::kOutput) return whole_rows(*output_, columns);
    const Format& most = *find_format(mix_.format);
    if (most.block == 1) return most;
    const Override* manual = manual_for(t.tensor->name);
    const Format& best = manual ? manual->format : spec_.pure ? most : mixed(t);
    const Format& fits = fitting_format(best, columns);
    t.fell_back = &fits != &best;
    return fits;
  }

  static const Format& whole_rows(const Format& format, int64_t columns) {
    if (columns % format.block != 0)
      fail(Errc::kBadInput, "its rows of {} elements are no whole blocks of {}, which have {}", columns, format.name,
           format.block);
    return format;
  }

  const Override* manual_for(const std::string& name) const {
    const auto it = std::ranges::find_if(overrides_, [&](const Override& o) { return o.names.found_in(name); });
    return it == overrides_.end() ? nullptr : &*it;
  }

  // The table of embeddings for each layer follows the type for embeddings unless it is named itself.
  bool names_layer_embeddings(const std::string& name) const {
    return name == "per_layer_token_embd.weight" && manual_for(name) != nullptr;
  }

  const Format& mixed(const TensorPlan& t) {
    const Shape& shape = t.tensor->shape;
    MixPart part = mix_part(t.tensor->name);
    if (tied_ && part == MixPart::kTokenEmbedding) part = MixPart::kOutput;
    if (part == MixPart::kOutput && output_) return *output_;
    return mixed_format(mix_, {.model = model_,
                               .part = part,
                               .index = index_of(part, t.tensor->name),
                               .count = part == MixPart::kAttnV ? values_ : model_.n_layers,
                               .columns = shape.back(),
                               .matrices = matrices_in(shape),
                               .weighted = spec_.weighted});
  }

  // Tensors are counted; where a layer has several (experts), names say which it is.
  int64_t index_of(MixPart part, const std::string& name) {
    if (part == MixPart::kAttnV) return next_value_++;
    if (part != MixPart::kFfnDown) return 0;
    if (model_.n_experts <= 1) return next_down_++;
    const int64_t layer = layer_of(name);
    if (layer < 0 || layer >= model_.n_layers)
      fail(Errc::kBadFile, "its name has no layer of {}, which choosing a type needs", model_.n_layers);
    return layer;
  }

  void check_source(const GgufTensor& t) const {
    const Format* from = format_of(*t.type);
    if (t.type->panels) fail(Errc::kUnsupported, "it is in panels, of skald pack; quantise the file that was packed");
    if (!from) fail(Errc::kUnsupported, "values of type {} cannot be converted", t.type->name);
    if (from->block > 1 && !spec_.allow_requantize)
      fail(Errc::kUnsupported,
           "it is quantised already ({}), and quantising again loses more than it would from f16; quantize.allow_requantize "
           "does it",
           t.type->name);
  }

  const Gguf& file_;
  const QuantizeSpec& spec_;
  const QuantizeMix& mix_;
  const MixModel model_;
  const bool tied_;  // the embeddings are the output matrix
  std::vector<Override> overrides_;
  const Format *output_ = nullptr, *embedding_ = nullptr;
  int64_t values_ = 0, next_value_ = 0, next_down_ = 0;
};

}  // namespace

const GgufType& TensorPlan::type() const { return to ? *find_gguf_type(to->id) : *tensor->type; }

int64_t TensorPlan::bytes() const {
  return to ? to->bytes(tensor->shape.elements()) : static_cast<int64_t>(tensor->data.size());
}

std::string TensorPlan::line() const {
  const std::string_view from = tensor->type->name;
  const std::string types = to ? fmt::format("{} -> {}", from, to->name) : std::string(from);
  return fmt::format("{:<32} {:<20} {:<15} {:>9.2f} MB{}", printable(tensor->name), tensor->shape.to_string(), types,
                     static_cast<double>(bytes()) * 1e-6, fell_back ? "  (no whole blocks of its type in a row)" : "");
}

std::vector<TensorPlan> plan_quantize(const Gguf& file, const QuantizeSpec& spec) { return Planner(file, spec).plan(); }

}  // namespace skald
