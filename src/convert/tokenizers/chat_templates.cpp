#include "convert/tokenizers/chat_templates.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/mapped_file.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = int64_t{1} << 24;

using Templates = std::map<std::string, std::string>;  // by name

// Names become parts of keys.
std::string key_part(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::string checked(std::string text, const std::string& name) {
  if (valid_utf8(text) != text) fail(Errc::kBadFile, "{}: not UTF-8", name);
  return text;
}

// A template, or a list of them with names.
Templates read_value(const JsonNode& value) {
  if (value.is_text()) return {{"default", value.text()}};
  Templates out;
  for (size_t i = 0; i < value.size(); ++i) {
    const JsonNode named = value.at(i);
    out[key_part(named.at("name").text())] = named.at("template").text();
  }
  return out;
}

void add_folder(const fs::path& folder, Templates& out) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".jinja") continue;
    const std::string path = entry.path().string();
    const FileBytes file = FileBytes::open(path, FileBytes::How::kMap);
    if (file.bytes().size() > size_t{kMaxBytes}) fail(Errc::kBadFile, "{}: more than {} bytes", path, kMaxBytes);
    const std::string text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    out[key_part(entry.path().stem().string())] = checked(text, path);
  }
}

Templates read_templates(const TokenizerFiles& files) {
  const HfDirectory& dir = files.dir();
  if (dir.has("chat_template.jinja")) {
    Templates out = {{"default", checked(dir.read("chat_template.jinja", kMaxBytes), dir.file_path("chat_template.jinja"))}};
    add_folder(fs::path(dir.path()) / "additional_chat_templates", out);
    return out;
  }
  if (dir.has("chat_template.json")) {
    const nlohmann::json json = dir.read_json("chat_template.json");
    return read_value(JsonNode(json, dir.file_path("chat_template.json")).at("chat_template"));
  }
  const auto value = files.config() ? files.config()->find("chat_template") : std::nullopt;
  return value ? read_value(*value) : Templates();
}

}  // namespace

void set_chat_templates(const TokenizerFiles& files, Meta& meta) {
  const Templates templates = read_templates(files);
  std::vector<std::string> names;
  for (const auto& [name, text] : templates) {
    if (name == "default") continue;
    meta.set("tokenizer.chat_template." + name, text);
    names.push_back(name);
  }
  if (!names.empty()) meta.set("tokenizer.chat_templates", MetaArray{names});
  if (const auto it = templates.find("default"); it != templates.end()) meta.set("tokenizer.chat_template", it->second);
}

}  // namespace skald
