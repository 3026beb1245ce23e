#include "convert/sentence_modules.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

constexpr const char* kModules = "modules.json";

struct Mode {
  const char *flag, *word;
  uint32_t type;  // as GGUF counts them; 0: it has none
};
// In the order in which sentence-transformers joins the vectors of several.
constexpr Mode kModes[] = {{"pooling_mode_cls_token", "cls", 2},
                           {"pooling_mode_max_tokens", "max", 0},
                           {"pooling_mode_mean_tokens", "mean", 1},
                           {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", 0},
                           {"pooling_mode_weightedmean_tokens", "weightedmean", 0},
                           {"pooling_mode_lasttoken", "lasttoken", 3}};

std::string text(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

bool is_true(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_boolean() && it->get<bool>();
}

// One word or a list of them; without the key, the modes whose flags are true, or else the mean.
std::vector<std::string> words_of(const json& pooling) {
  std::vector<std::string> out;
  const auto it = pooling.find("pooling_mode");
  if (it != pooling.end() && !it->is_null()) {
    for (const json& word : it->is_array() ? *it : json::array({*it})) {
      if (!word.is_string()) fail(Errc::kBadFile, "pooling_mode: want a word or a list of words");
      out.push_back(word.get<std::string>());
    }
    return out;
  }
  for (const Mode& mode : kModes)
    if (is_true(pooling, mode.flag)) out.emplace_back(mode.word);
  if (out.empty()) out.emplace_back("mean");
  return out;
}

uint32_t type_of(const json& pooling) {
  const std::vector<std::string> words = words_of(pooling);
  if (words.size() != 1)
    fail(Errc::kUnsupported, "it joins the vectors of several kinds of pooling, which is not supported: {}",
         some_of(words, std::size(kModes)));
  const auto* const mode = std::ranges::find(kModes, words[0], &Mode::word);
  if (mode == std::end(kModes) || mode->type == 0)
    fail(Errc::kUnsupported, "its pooling {} is not supported; known: mean, cls, lasttoken", skald::quoted(words[0]));
  return mode->type;
}

uint32_t pooling_of(const std::string& path, const json& pooling) {
  const auto prompt = pooling.find("include_prompt");
  if (prompt != pooling.end() && prompt->is_boolean() && !prompt->get<bool>())
    log(LogLevel::kWarn, "{}: include_prompt: false is not followed: a prompt's tokens are pooled, too", printable(path));
  return type_of(pooling);
}

// Names by place, as llama.cpp's files have them.
constexpr const char* kDense[] = {"dense_2", "dense_3"};

// Why a dense layer cannot be taken; empty where it can.
std::string unfit(const json& config, size_t taken) {
  const std::string activation = text(config, "activation_function");
  if (taken == std::size(kDense)) return "a file holds two such layers";
  if (is_true(config, "bias")) return "it has a bias";
  if (!activation.empty() && !activation.ends_with("Identity")) return "its activation is " + printable(activation);
  return "";
}

DenseModule open_dense(const HfDirectory& dir, size_t taken) {
  DenseModule out{kDense[taken], Checkpoint(dir), nullptr};
  out.matrix = out.weights.find("linear.weight");
  if (!out.matrix || out.matrix->shape.size() != 2 || out.weights.tensors().size() != 1)
    fail(Errc::kBadFile, "{}: want one matrix, linear.weight", dir.path());
  return out;
}

class Reader {
 public:
  explicit Reader(const HfDirectory& dir) : dir_(dir) {}

  void add(const std::string& type, const std::string& path) {
    if (type.ends_with("Pooling"))
      out_.pooling = doing(path, [&] { return pooling_of(path, dir_.read_module_json(path)); });
    else if (type.ends_with("Dense") && !behind_left_out_)
      add_dense(path);
    else if (!path.empty() && !type.ends_with("Normalize") && !type.ends_with("Transformer"))
      leave_out(path, type);
  }
  SentenceModules take() { return std::move(out_); }

 private:
  void add_dense(const std::string& path) {
    const HfDirectory module(dir_.file_path(path));
    if (const std::string why = unfit(module.config(), out_.dense.size()); !why.empty()) return leave_out(path, why);
    out_.dense.push_back(open_dense(module, out_.dense.size()));
  }
  void leave_out(const std::string& path, const std::string& why) {
    behind_left_out_ = true;
    log(LogLevel::kWarn, "{}: {} is left out, a module after the pooling ({}): vectors are those before it", dir_.path(),
        printable(path), printable(why));
  }

  const HfDirectory& dir_;
  SentenceModules out_;
  bool behind_left_out_ = false;
};

}  // namespace

SentenceModules SentenceModules::read(const HfDirectory& dir) {
  if (!dir.has(kModules)) return {};
  const json modules = dir.read_json(kModules);
  if (!modules.is_array()) fail(Errc::kBadFile, "{}: want a list", dir.file_path(kModules));
  Reader reader(dir);
  for (const json& module : modules) {
    if (!module.is_object()) fail(Errc::kBadFile, "{}: want a list of objects", dir.file_path(kModules));
    reader.add(text(module, "type"), text(module, "path"));
  }
  return reader.take();
}

void SentenceModules::describe(const std::string& arch, Meta& meta) const {
  if (pooling) meta.set(arch + ".pooling_type", *pooling);
  for (const DenseModule& d : dense) {
    meta.set(arch + "." + d.name + "_feat_in", static_cast<uint32_t>(d.matrix->shape[1]));
    meta.set(arch + "." + d.name + "_feat_out", static_cast<uint32_t>(d.matrix->shape[0]));
  }
}

}  // namespace skald
