#include "serve/models/ollama_json.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "loading/loaded_model.h"
#include "serve/models/model_json.h"
#include "serve/wall_clock.h"

namespace skald::serve {
namespace {

std::string parameter_size(int64_t n) {
  const auto x = static_cast<double>(n);
  return x >= 1e9 ? fmt::format("{:.1f}B", x / 1e9) : fmt::format("{:.2f}M", x / 1e6);
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

int64_t size_of(const ModelPool::Entry& entry) {
  if (entry.model) return entry.model->bytes();
  std::error_code error;
  const auto bytes = std::filesystem::file_size(entry.path, error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

}  // namespace

Json ollama_details(const ModelPool::Entry& entry) {
  Json out = {{"parent_model", ""},  {"format", "gguf"},     {"family", ""},
              {"families", nullptr}, {"parameter_size", ""}, {"quantization_level", ""}};
  if (!entry.model) return out;
  const LoadedModel& model = *entry.model->model().loaded();
  out["family"] = model.arch();
  out["families"] = Json::array({model.arch()});
  out["parameter_size"] = parameter_size(model.n_parameters());
  out["quantization_level"] = upper(model.main_format());
  return out;
}

Json ollama_model_json(const ModelPool::Entry& entry) {
  return {{"name", entry.id},
          {"model", entry.id},
          {"modified_at", rfc3339(entry.model ? entry.model->created() : 0)},
          {"size", size_of(entry)},
          {"digest", digest_of(entry)},
          {"details", ollama_details(entry)}};
}

}  // namespace skald::serve
