#include "convert/peft_adapter.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "convert/file_folder.h"
#include "convert/hf_family.h"
#include "convert/module_change.h"
#include "convert/peft_config.h"
#include "convert/peft_tensors.h"
#include "convert/tables.h"
#include "convert/tensor_names.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kTensors = "adapter_model.safetensors", kPickle = "adapter_model.bin";
constexpr size_t kShownModules = 5;  // names of a list

std::vector<const HfFamily*> families_of(const std::string& arch) {
  std::vector<const HfFamily*> out;
  for (const HfFamily* family : hf_families())
    if (family->arch == arch) out.push_back(family);
  if (out.empty())
    fail(Errc::kUnsupported, "architecture {}: no names of modules are known for it; make a GGUF file of the adapter",
         skald::quoted(arch));
  if (out.front()->hidden_factors)
    fail(Errc::kUnsupported,
         "architecture {}: its weights are kept multiplied by factors that its files do not tell, which an adapter would "
         "need",
         arch);
  return out;
}

// The expert's number in "model.layers.0.mlp.experts.7.up_proj", and what is around it.
struct ExpertName {
  std::string before, after;
  int64_t number = -1;  // none: it is of no expert

  explicit ExpertName(const std::string& module) {
    constexpr std::string_view kExperts = ".experts.";
    const size_t at = module.find(kExperts);
    if (at == module.npos) return;
    const char* const begin = module.data() + at + kExperts.size();
    const char* const module_end = module.data() + module.size();
    const auto [end, error] = std::from_chars(begin, module_end, number);
    if (error != std::errc() || end == module_end || *end != '.') number = -1;
    before = std::string(module.data(), begin);
    after = std::string(end, module_end);
  }
};

// Experts that the adapter leaves alone are those with zeros.
void add_missing_experts(std::vector<ModuleChange>& changes, int64_t n_experts) {
  std::map<std::pair<std::string, std::string>, std::set<int64_t>> there;
  for (const ModuleChange& c : changes)
    if (const ExpertName name(c.module); name.number >= 0) {
      if (name.number >= n_experts) fail(Errc::kBadFile, "{}: the model has {} experts", printable(c.module), n_experts);
      there[{name.before, name.after}].insert(name.number);
    }
  for (const auto& [around, numbers] : there) {
    const auto named = [&, &around = around](int64_t i) { return around.first + std::to_string(i) + around.second; };
    ModuleChange zeros = *std::ranges::find(changes, named(*numbers.begin()), &ModuleChange::module);
    std::ranges::fill(zeros.left, 0.0f);
    std::ranges::fill(zeros.right, 0.0f);
    for (int64_t i = 0; i < n_experts; ++i) {
      if (numbers.contains(i)) continue;
      zeros.module = named(i);
      changes.push_back(zeros);
    }
  }
}

class Translation {
 public:
  Translation(std::vector<ModuleChange> changes, const Meta& base)
      : arch_(base.str("general.architecture")), m_(base, arch_), changes_(std::move(changes)) {
    add_missing_experts(changes_, m_.i64("expert_count", 0));
    std::vector<StoredTensor> weights;
    for (const ModuleChange& c : changes_) {
      weights.push_back(c.weight());
      by_weight_.emplace(weights.back().name, &c);
    }
    weights_.emplace(std::move(weights));
  }

  std::map<std::string, LowRank> run() {
    const NamedTensors named = names();
    if (!named.not_text.empty())
      log(LogLevel::kWarn, "changes of other parts than the language model are left out ({}): {}", named.not_text.size(),
          some_of(named.not_text, kShownModules));
    if (named.tensors.empty()) fail(Errc::kUnsupported, "it changes nothing of the language model");
    std::map<std::string, LowRank> out;
    for (const NamedTensor& t : named.tensors) out.emplace(t.name, change_of(t));
    return out;
  }

 private:
  // Of the first family of the architecture whose tables have all modules.
  NamedTensors names() const {
    NamedTensors first;
    for (const HfFamily* family : families_of(arch_)) {
      Meta written;
      NamedTensors named = name_tensors(*family, *weights_, m_, /*tied=*/false, Hyperparameters(written, arch_));
      if (named.left_over.empty()) return named;
      if (first.left_over.empty()) first = std::move(named);
    }
    fail(Errc::kUnsupported, "architecture {} gives these modules no meaning: {}", arch_,
         some_of(first.left_over, kShownModules));
  }

  LowRank change_of(const NamedTensor& t) const {
    const auto find = [&](const StoredTensor& weight) -> const ModuleChange& { return *by_weight_.at(weight.name); };
    // GPT-2's matrices are kept as (in, out); of their changes A and B are like those of others.
    const bool as_it_is = t.transform == transpose;
    return change_of_tensor(t.name, as_it_is ? LazyTensor::of(StoredView(t.data.parts.front().stored())) : t.data, find);
  }

  std::string arch_;
  MetaView m_;
  std::vector<ModuleChange> changes_;
  std::map<std::string, const ModuleChange*> by_weight_;
  std::optional<Checkpoint> weights_;
};

std::string tensors_of(const FileFolder& folder) {
  if (!folder.has(kTensors)) {
    if (folder.has(kPickle))
      fail(Errc::kUnsupported,
           "{} has {}, which only Python can read safely: save the adapter as safetensors (save_pretrained of peft does)",
           folder.path(), kPickle);
    fail(Errc::kNotFound, "{} has {}, but no {}", folder.path(), PeftConfig::kFile, kTensors);
  }
  folder.refuse_pointer(kTensors);
  return folder.file_path(kTensors);
}

}  // namespace

bool is_peft_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(path) / PeftConfig::kFile, ignored);
}

Adapter read_peft_adapter(const std::string& folder, const Meta& base) {
  const FileFolder files(folder);
  const nlohmann::json json = files.read_json(PeftConfig::kFile);
  const PeftConfig config = doing(folder, [&] { return PeftConfig(json); });
  const std::string tensors = tensors_of(files);
  const Safetensors file = Safetensors::open(tensors, FileBytes::How::kMap);
  return doing(tensors, [&] {
    Translation translation(module_changes(file, config), base);
    return Adapter{.name = files.folder_name(),
                   .path = folder,
                   .arch = base.str("general.architecture"),
                   .base = config.base(),
                   .task = {},
                   .prefix = {},
                   .invocation = config.invocation(),
                   .changes = translation.run()};
  });
}

}  // namespace skald
