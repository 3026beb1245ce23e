#include "hub/answers.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "hub/adapter_folder.h"
#include "hub/names.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

std::string text_at(const json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || at == object.end() || !at->is_string())
    fail(Errc::kBadFile, "the hub's answer has no text '{}'", key);
  return at->get<std::string>();
}

int64_t size_at(const json& object) {
  const auto at = object.find("size");
  if (at == object.end() || !at->is_number_integer() || at->get<int64_t>() < 0 || at->get<int64_t>() > int64_t{1} << 50)
    fail(Errc::kBadFile, "the hub's answer has no size that a file can have");
  return at->get<int64_t>();
}

std::string blob_at(const json& object, size_t digits) {
  std::string blob = text_at(object, "oid");
  if (!is_blob(blob) || blob.size() != digits)
    fail(Errc::kBadFile, "oid {}: want {} hexadecimal digits", skald::quoted(blob), digits);
  return blob;
}

// Of an entry of a listing; nothing of a folder or another file.
std::optional<HubFile> model_file(const json& entry) {
  if (text_at(entry, "type") != "file") return std::nullopt;
  const std::string path = text_at(entry, "path");
  if (!path.ends_with(".gguf") && !is_adapter_file(path)) return std::nullopt;
  check_hub_path(path);
  return doing(path, [&] {
    const auto lfs = entry.find("lfs");
    if (lfs == entry.end() || lfs->is_null()) return HubFile{path, size_at(entry), blob_at(entry, 40)};
    if (!lfs->is_object()) fail(Errc::kBadFile, "the hub's answer has an 'lfs' that is no object");
    return HubFile{path, size_at(*lfs), blob_at(*lfs, 64)};
  });
}

}  // namespace

std::string read_commit(std::string_view text) {
  std::string sha = text_at(parse_json(text), "sha");
  if (!is_commit(sha)) fail(Errc::kBadFile, "sha {}: want a commit of 40 hexadecimal digits", skald::quoted(sha));
  return sha;
}

std::vector<HubFile> read_model_files(std::string_view text) {
  const json list = parse_json(text);
  if (!list.is_array()) fail(Errc::kBadFile, "the hub's list of files is no list");
  std::vector<HubFile> out;
  for (const json& entry : list)
    if (auto file = model_file(entry)) out.push_back(std::move(*file));
  return out;
}

}  // namespace skald
