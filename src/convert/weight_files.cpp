#include "convert/weight_files.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kSingle = "model.safetensors", kIndex = "model.safetensors.index.json";

WeightFiles named_by(const nlohmann::json& index) {
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object() || map->empty())
    fail(Errc::kBadFile, "weight_map: want an object of tensor and file names");
  WeightFiles out;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string()) fail(Errc::kBadFile, "weight_map: {}: want a file's name", printable(tensor));
    out.names.insert(file.get<std::string>());
    out.file_of.emplace(tensor, file.get<std::string>());
  }
  return out;
}

void refuse_missing(const HfDirectory& dir, const std::set<std::string>& files) {
  std::vector<std::string> missing;
  for (const std::string& file : files)
    if (dir.file_path(file); !dir.has(file)) missing.push_back(skald::quoted(file));
  if (missing.size() == 1) fail(Errc::kNotFound, "the file {} is not there", missing.front());
  if (!missing.empty())
    fail(Errc::kNotFound, "{} of its {} files are not there: {} and others", missing.size(), files.size(), missing.front());
}

WeightFiles shards_of(const HfDirectory& dir) {
  const nlohmann::json index = dir.read_json(kIndex);
  return doing(dir.file_path(kIndex), [&] {
    WeightFiles files = named_by(index);
    refuse_missing(dir, files.names);
    return files;
  });
}

// The first of the folder's files, by name, that ends so; empty for none.
std::string file_with(const std::vector<std::string>& files, std::string_view ending) {
  const auto it = std::ranges::find_if(files, [&](const std::string& f) { return f.ends_with(ending); });
  return it == files.end() ? "" : *it;
}

[[noreturn]] void refuse_pickles(const HfDirectory& dir, const std::string& file) {
  fail(Errc::kUnsupported,
       "{} has {}, which only Python can read safely: save the model as safetensors (save_pretrained of transformers does)",
       dir.path(), printable(file));
}

[[noreturn]] void say_what_is_there(const HfDirectory& dir) {
  constexpr std::array<std::string_view, 5> kPickles = {".bin", ".pth", ".pt", ".ckpt", ".bin.index.json"};
  constexpr std::array<std::string_view, 5> kOthers = {".h5", ".msgpack", ".onnx", ".npz", ".nemo"};
  const std::vector<std::string> files = dir.files();
  if (const std::string file = file_with(files, ".gguf"); !file.empty())
    fail(Errc::kNotFound, "{} has no safetensors, but {}, which is a model file of its own: give that one", dir.path(),
         printable(file));
  if (const std::string file = file_with(files, ".safetensors"); !file.empty())
    fail(Errc::kNotFound, "{} has {}, but neither {} nor {}, which says which tensors lie where", dir.path(),
         printable(file), kSingle, kIndex);
  for (const std::string_view ending : kPickles)
    if (const std::string file = file_with(files, ending); !file.empty()) refuse_pickles(dir, file);
  for (const std::string_view ending : kOthers)
    if (const std::string file = file_with(files, ending); !file.empty())
      fail(Errc::kUnsupported, "{} has its weights in {}, a format that cannot be read; want safetensors", dir.path(),
           printable(file));
  fail(Errc::kNotFound, "{} has neither {} nor {}", dir.path(), kSingle, kIndex);
}

}  // namespace

WeightFiles weight_files(const HfDirectory& dir) {
  if (dir.has(kSingle)) return {.names = {std::string(kSingle)}, .file_of = {}};
  if (dir.has(kIndex)) return shards_of(dir);
  dir.refuse_adapter();
  say_what_is_there(dir);
}

}  // namespace skald
