// The listing of a model as text and as JSON.
#include "tools/report/inspect.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/meta.h"
#include "base/size_text.h"
#include "convert/conversion.h"
#include "convert/hf_directory.h"
#include "io/gguf.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr int64_t kMaxJsonItems = 64, kFirstJsonItems = 8;
constexpr int64_t kMaxTableItems = 8, kFirstTableItems = 3;

// Indexed like the alternatives of MetaValue; as words for the elements of arrays.
constexpr const char* kElementNames[] = {"uint8", "int8",   "uint16", "int16",  "uint32", "int32",  "float32",
                                         "bool",  "string", "array",  "uint64", "int64",  "float64"};

struct TypeTotal {
  int64_t tensors = 0, elements = 0, bytes = 0;
};

std::map<std::string_view, TypeTotal> totals(const ModelContents& model) {
  std::map<std::string_view, TypeTotal> out;
  for (const ModelContents::Item& t : model.tensors) {
    TypeTotal& total = out[t.type];
    total.tensors += 1;
    total.elements += t.shape.elements();
    total.bytes += t.bytes;
  }
  return out;
}

int64_t parameters(const ModelContents& model) {
  int64_t out = 0;
  for (const ModelContents::Item& t : model.tensors) out += t.shape.elements();
  return out;
}

std::string array_text(const MetaArray& array);

template <class T>
std::string item_text(const T& value, size_t max_string) {
  if constexpr (std::is_same_v<T, std::string>) {
    return quoted(value, max_string);
  } else if constexpr (std::is_same_v<T, MetaArray>) {
    return array_text(value);
  } else {
    return fmt::format("{}", value);
  }
}

// "[1, 2, 3]" or, when long, "[32000 strings: "<unk>", "<s>", "</s>", ...]".
std::string array_text(const MetaArray& array) {
  constexpr size_t kMaxString = 40;
  const bool whole = array.size() <= kMaxTableItems;
  std::string out = whole ? "[" : fmt::format("[{} {}s: ", array.size(), kElementNames[array.items.index()]);
  std::visit(
      [&]<class T>(const std::vector<T>& items) {
        const auto shown = static_cast<size_t>(whole ? array.size() : kFirstTableItems);
        for (size_t i = 0; i < shown; ++i) {
          if (i) out += ", ";
          out += item_text<T>(items[i], kMaxString);
        }
      },
      array.items);
  return out + (whole ? "]" : ", ...]");
}

std::string value_text(const MetaValue& value) {
  constexpr size_t kMaxString = 160;  // chat templates run to thousands
  return std::visit([]<class T>(const T& v) { return item_text<T>(v, kMaxString); }, value);
}

void append_metadata(std::string& out, const Meta& meta) {
  out += fmt::format("\nmetadata ({} keys)\n", meta.entries().size());
  size_t width = 0;
  for (const auto& [key, value] : meta.entries()) width = std::max(width, std::min(printable(key).size(), size_t{48}));
  for (const auto& [key, value] : meta.entries())
    out += fmt::format("  {:<{}}  {}\n", printable(key), width, value_text(value));
}

void append_tensors(std::string& out, const ModelContents& model) {
  out += fmt::format("\ntensors ({})\n", model.tensors.size());
  size_t name_width = 4, shape_width = 5;
  for (const ModelContents::Item& t : model.tensors) {
    name_width = std::max(name_width, std::min(printable(t.name).size(), size_t{64}));
    shape_width = std::max(shape_width, t.shape.to_string().size());
  }
  for (const ModelContents::Item& t : model.tensors)
    out += fmt::format("  {:<{}}  {:<{}}  {:<7}  {:>12}\n", printable(t.name), name_width, t.shape.to_string(), shape_width,
                       t.type, t.bytes);
}

void append_totals(std::string& out, const ModelContents& model) {
  out += "\ntypes\n";
  for (const auto& [type, total] : totals(model))
    out +=
        fmt::format("  {:<7}  {} tensors, {} elements, {}\n", type, total.tensors, total.elements, size_text(total.bytes));
}

template <class T>
nlohmann::json json_of(const T& value);

template <class T>
nlohmann::json json_items(const std::vector<T>& items) {
  const auto length = static_cast<int64_t>(items.size());
  const bool whole = length <= kMaxJsonItems;
  auto list = nlohmann::json::array();
  for (int64_t i = 0; i < (whole ? length : kFirstJsonItems); ++i) list.push_back(json_of<T>(items[static_cast<size_t>(i)]));
  return whole ? list : nlohmann::json{{"length", length}, {"first", list}};
}

template <class T>
nlohmann::json json_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return valid_utf8(value);
  } else if constexpr (std::is_same_v<T, MetaArray>) {
    return std::visit([](const auto& items) { return json_items(items); }, value.items);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  } else {
    return value;
  }
}

nlohmann::json json_of_tensor(const ModelContents::Item& t) {
  auto shape = nlohmann::json::array();
  for (int i = 0; i < t.shape.rank(); ++i) shape.push_back(t.shape[i]);
  return {{"name", valid_utf8(t.name)}, {"type", t.type}, {"shape", shape}, {"bytes", t.bytes}};
}

}  // namespace

ModelContents::ModelContents(const Gguf& file)
    : kind(fmt::format("GGUF v{}", file.version())), version(file.version()), bytes(file.file_bytes()), meta(&file.meta()) {
  for (const GgufTensor& t : file.tensors())
    tensors.push_back({t.name, t.type->name, t.shape, static_cast<int64_t>(t.data.size())});
}

ModelContents::ModelContents(const Conversion& conversion)
    : kind("Hugging Face folder"), bytes(conversion.bytes()), meta(&conversion.meta()) {
  for (const Conversion::Tensor& t : conversion.tensors())
    tensors.push_back({t.name, t.desc.format->name, t.desc.shape, t.desc.bytes()});
}

std::string inspect_table(const ModelContents& model) {
  std::string out = fmt::format("{}, {}, {} parameters\n", model.kind, size_text(model.bytes), parameters(model));
  append_metadata(out, *model.meta);
  append_tensors(out, model);
  append_totals(out, model);
  return out;
}

nlohmann::json inspect_json(const ModelContents& model) {
  auto metadata = nlohmann::json::object(), types = nlohmann::json::object();
  auto tensors = nlohmann::json::array();
  for (const auto& [key, value] : model.meta->entries())
    metadata[valid_utf8(key)] = std::visit([]<class T>(const T& v) { return json_of<T>(v); }, value);
  for (const ModelContents::Item& t : model.tensors) tensors.push_back(json_of_tensor(t));
  for (const auto& [type, total] : totals(model))
    types[std::string(type)] = {{"tensors", total.tensors}, {"elements", total.elements}, {"bytes", total.bytes}};
  return {{"version", model.version}, {"file_bytes", model.bytes}, {"parameters", parameters(model)},
          {"metadata", metadata},     {"tensors", tensors},        {"types", types}};
}

static std::string show(const ModelContents& model, bool json) {
  return json ? inspect_json(model).dump(2) + "\n" : inspect_table(model);
}

std::string inspect_file(const std::string& path, bool json) {
  if (is_hf_directory(path)) return show(Conversion(HfDirectory(path), {.need_tokenizer = false}), json);
  return show(Gguf::open(path, FileBytes::How::kMap), json);
}

}  // namespace skald
