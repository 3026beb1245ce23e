#include "convert/pooling.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

constexpr const char* kModules = "modules.json";

struct Mode {
  const char *flag, *word;
  uint32_t type;  // as GGUF counts them
};
constexpr Mode kModes[] = {{"pooling_mode_mean_tokens", "mean", 1},
                           {"pooling_mode_cls_token", "cls", 2},
                           {"pooling_mode_lasttoken", "lasttoken", 3}};

std::string text(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

bool is_true(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_boolean() && it->get<bool>();
}

uint32_t type_of(const json& pooling) {
  for (const Mode& mode : kModes)
    if (is_true(pooling, mode.flag) || text(pooling, "pooling_mode") == mode.word) return mode.type;
  fail(Errc::kUnsupported, "its pooling is not supported; known: mean, cls, lasttoken");
}

}  // namespace

void add_pooling(const HfDirectory& dir, const std::string& arch, Meta& meta) {
  if (!dir.has(kModules)) return;
  const json modules = dir.read_json(kModules);
  if (!modules.is_array()) fail(Errc::kBadFile, "{}: want a list", dir.file_path(kModules));
  for (const json& module : modules) {
    if (!module.is_object()) fail(Errc::kBadFile, "{}: want a list of objects", dir.file_path(kModules));
    const std::string type = text(module, "type"), path = text(module, "path");
    if (type.ends_with("Pooling"))
      meta.set(arch + ".pooling_type", doing(path, [&] { return type_of(dir.read_module_json(path)); }));
    else if (!path.empty() && !type.ends_with("Normalize") && !type.ends_with("Transformer"))
      log(LogLevel::kWarn, "{}: {} is left out, a module ({}) behind the pooling: vectors are those before it", dir.path(),
          printable(path), printable(type));
  }
}

}  // namespace skald
