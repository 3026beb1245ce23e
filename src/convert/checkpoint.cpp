#include "convert/checkpoint.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/paging.h"
#include "convert/hf_config.h"
#include "convert/weight_files.h"
#include "io/printable.h"

namespace skald {
namespace {

bool is_f8(SafetensorsType type) { return type == SafetensorsType::kF8E4M3 || type == SafetensorsType::kF8E5M2; }

// The factors of quantised weights, beside them under names of their own.
constexpr std::array<std::string_view, 2> kScaleSuffixes = {"_scale_inv", "_scale"};

constexpr std::array<std::string_view, 2> kInputScales = {"activation_scale", "input_scale"};

// Methods whose weights are F8 with scales, or gpt-oss's blocks.
constexpr std::array<std::string_view, 5> kMethods = {"fp8", "fbgemm_fp8", "compressed-tensors", "modelopt", "mxfp4"};

// The size of tiles, where the configuration gives it.
std::array<int64_t, 2> tile_of(const HfConfig& config) {
  const std::optional<HfConfig> q = config.object("quantization_config");
  if (!q || !q->has("weight_block_size")) return {128, 128};
  const std::vector<float> size = q->floats("weight_block_size");
  if (size.size() != 2 || !(size[0] >= 1 && size[1] >= 1 && size[0] < 1e6f && size[1] < 1e6f))
    fail(Errc::kBadFile, "config.json: weight_block_size: want two sizes");
  return {static_cast<int64_t>(size[0]), static_cast<int64_t>(size[1])};
}

void check_method(const HfConfig& config) {
  const std::optional<HfConfig> q = config.object("quantization_config");
  if (!q) return;
  const std::string method = q->str("quant_method", "");
  if (std::ranges::find(kMethods, method) == kMethods.end())
    fail(Errc::kUnsupported,
         "its weights were quantised by {}, which is not supported; convert the model that they were made from",
         skald::quoted(method));
}

// Scales of a matrix: one for all of it, one per row, or one per tile.
Scales scales_of(const StoredTensor& s, const SafetensorsTensor& t, std::array<int64_t, 2> tile) {
  const std::optional<Element> element = element_of(t.type);
  if (!element) fail(Errc::kUnsupported, "tensor {}: want floats, file has {}", printable(t.name), name_of(t.type));
  const StoredTensor as_source{t.name, *element, t.shape, t.data};
  Scales out{.values = std::vector<float>(static_cast<size_t>(t.elements()))};
  as_source.read(0, 1, t.elements(), out.values.data());
  if (s.shape.size() != 2) {
    if (t.elements() != 1) fail(Errc::kUnsupported, "tensor {}: scales of something other than a matrix", printable(t.name));
    out.tile_rows = out.tile_cols = INT64_MAX;
    return out;
  }
  const int64_t rows = s.shape[0], cols = s.shape[1];
  if (t.elements() == 1)
    tile = {rows, cols};
  else if (t.elements() == rows && (t.shape.size() == 1 || t.shape.back() == 1))
    tile = {1, cols};
  out.tile_rows = std::max<int64_t>(tile[0], 1);
  out.tile_cols = std::max<int64_t>(tile[1], 1);
  out.per_row = ceil_div(cols, out.tile_cols);
  if (ceil_div(rows, out.tile_rows) * out.per_row != t.elements())
    fail(Errc::kBadFile, "tensor {}: {} scales for ({}, {}) in tiles of ({}, {})", printable(t.name), t.elements(), rows,
         cols, out.tile_rows, out.tile_cols);
  return out;
}

// One file's tensors, and the file's name.
using NamedFiles = std::vector<std::pair<std::string, const Safetensors*>>;

class Sorter {
 public:
  // The index decides which file has a tensor: others may hold an older copy.
  Sorter(const NamedFiles& files, const WeightFiles& index, std::array<int64_t, 2> tile) : files_(files), tile_(tile) {
    for (const auto& [name, file] : files)
      for (const SafetensorsTensor& t : file->tensors()) {
        const auto said = index.file_of.find(t.name);
        if (said != index.file_of.end() && said->second != name) continue;
        if (!by_name_.emplace(t.name, &t).second) fail(Errc::kBadFile, "tensor {} is in two files", printable(t.name));
      }
    tell_missing(index);
  }

  std::vector<StoredTensor> sources() {
    std::vector<StoredTensor> out;
    for (const auto& [name, file] : files_)
      for (const SafetensorsTensor& t : file->tensors()) {
        if (find(t.name) != &t) continue;
        if (std::optional<StoredTensor> s = source_of(t)) out.push_back(std::move(*s));
      }
    return out;
  }

 private:
  void tell_missing(const WeightFiles& index) const {
    constexpr size_t kShown = 4;
    std::vector<std::string> missing;
    for (const auto& [tensor, file] : index.file_of)
      if (!find(tensor)) missing.push_back(tensor);
    if (!missing.empty())
      log(LogLevel::kWarn, "weight_map: {} tensors are not in the files that it names: {}", missing.size(),
          some_of(missing, kShown));
  }

  const SafetensorsTensor* find(const std::string& name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

  bool is_scale(const std::string& name) const {
    for (const std::string_view suffix : kScaleSuffixes)
      if (name.ends_with(suffix)) {
        const SafetensorsTensor* of = find(name.substr(0, name.size() - suffix.size()));
        if (of && is_f8(of->type)) return true;
      }
    return false;
  }

  // Of a layer's inputs, beside its weight: weights are widened here, and inputs stay floats.
  bool is_input_scale(const std::string& name) const {
    for (const std::string_view suffix : kInputScales)
      if (name.ends_with(suffix)) {
        const SafetensorsTensor* of = find(name.substr(0, name.size() - suffix.size()) + "weight");
        if (of && is_f8(of->type)) return true;
      }
    return false;
  }

  // nullopt for one that belongs to another tensor, and for whole numbers, which no weight is.
  std::optional<StoredTensor> source_of(const SafetensorsTensor& t) const {
    if (t.name.ends_with("_blocks")) return mxfp4(t);
    const std::optional<Element> element = element_of(t.type);
    if (!element || is_scale(t.name) || is_input_scale(t.name)) return std::nullopt;
    StoredTensor s{t.name, *element, t.shape, t.data};
    if (is_f8(t.type))
      for (const std::string_view suffix : kScaleSuffixes)
        if (const SafetensorsTensor* scales = find(t.name + std::string(suffix)); scales && s.scales.values.empty())
          s.scales = scales_of(s, *scales, tile_);
    return s;
  }

  // x_blocks (..., blocks, 16) and x_scales (..., blocks) are x (..., blocks * 32).
  std::optional<StoredTensor> mxfp4(const SafetensorsTensor& t) const {
    const std::string name = t.name.substr(0, t.name.size() - std::string_view("_blocks").size());
    const SafetensorsTensor* scales = find(name + "_scales");
    if (!scales || t.type != SafetensorsType::kU8) return std::nullopt;
    std::vector<int64_t> want(t.shape.begin(), t.shape.end() - (t.shape.empty() ? 0 : 1));
    if (t.shape.size() < 3 || t.shape.back() != 16 || scales->type != SafetensorsType::kU8 || scales->shape != want)
      fail(Errc::kBadFile, "tensor {}: want blocks of 16 bytes, and a scale for each in {}_scales", printable(t.name),
           printable(name));
    want.back() *= 32;
    const auto* bytes = reinterpret_cast<const uint8_t*>(scales->data.data());
    return StoredTensor{name, Element::kMxfp4, want, t.data, {}, {bytes, scales->data.size()}};
  }

  const NamedFiles& files_;
  std::unordered_map<std::string_view, const SafetensorsTensor*> by_name_;
  std::array<int64_t, 2> tile_;
};

}  // namespace

Checkpoint::Checkpoint(const HfDirectory& dir) {
  const HfConfig config(dir.config());
  doing(dir.path(), [&] { check_method(config); });
  const WeightFiles files = weight_files(dir);
  for (const std::string& file : files.names) {
    dir.refuse_pointer(file);
    files_.push_back(Safetensors::open(dir.file_path(file), FileBytes::How::kMap));
  }
  NamedFiles named;
  for (auto file = files_.begin(); const std::string& name : files.names) named.emplace_back(name, &*file++);
  doing(dir.path(), [&] {
    sources_ = Sorter(named, files, tile_of(config)).sources();
    list_names();
  });
}

Checkpoint::Checkpoint(std::vector<StoredTensor> tensors) : sources_(std::move(tensors)) { list_names(); }

void Checkpoint::list_names() {
  for (size_t i = 0; i < sources_.size(); ++i)
    if (!by_name_.emplace(sources_[i].name, i).second)
      fail(Errc::kBadFile, "tensor {} is there twice", printable(sources_[i].name));
}

void Checkpoint::give_back(const StoredTensor& tensor) const {
  const std::less_equal<> not_behind;
  const bool ours = !sources_.empty() && not_behind(&sources_.front(), &tensor) && not_behind(&tensor, &sources_.back());
  if (ours) skald::give_back(tensor.data);
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto look = [&](std::string_view at) -> const StoredTensor* {
    const auto it = by_name_.find(at);
    return it == by_name_.end() ? nullptr : &sources_[it->second];
  };
  if (const StoredTensor* s = look(name)) return s;
  const size_t dot = name.find('.');
  const std::string_view first = name.substr(0, dot);
  if (first == "model")
    if (const StoredTensor* s = look("model.language_model" + std::string(name.substr(dot)))) return s;
  if (const StoredTensor* s = look("language_model." + std::string(name))) return s;
  if (first == "mtp")
    if (const StoredTensor* s = look("model." + std::string(name))) return s;
  if (first == "bert")
    if (const StoredTensor* s = look("roberta" + std::string(name.substr(dot)))) return s;
  const bool is_body = first == "model" || first == "transformer" || first == "gpt_neox" || first == "bert";
  return is_body && dot != name.npos ? look(name.substr(dot + 1)) : nullptr;
}

}  // namespace skald
