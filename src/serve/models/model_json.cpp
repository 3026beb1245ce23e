#include "serve/models/model_json.h"

#include <fmt/format.h>

#include <functional>

#include "loading/loaded_model.h"
#include "serve/wall_clock.h"

namespace skald::serve {
namespace {

Json meta_json(ServedModel& model) {
  const Model& m = model.model();
  return {{"n_vocab", m.n_vocab()},           {"n_ctx_train", m.n_ctx_train()},         {"n_ctx", model.n_ctx()},
          {"n_embd", m.loaded()->d_states()}, {"n_params", m.loaded()->n_parameters()}, {"size", model.bytes()}};
}

}  // namespace

std::string_view state_word(ModelPool::State state) {
  switch (state) {
    case ModelPool::State::kUnloaded:
      return "unloaded";
    case ModelPool::State::kLoading:
      return "loading";
    case ModelPool::State::kLoaded:
      return "loaded";
    case ModelPool::State::kFailed:
      break;
  }
  return "failed";
}

Json model_json(const ModelPool::Entry& entry) {
  const int64_t created = entry.model ? entry.model->created() : 0;
  Json out = {{"id", entry.id},
              {"object", "model"},
              {"created", created},
              {"owned_by", "skald"},
              {"type", "model"},
              {"display_name", entry.model ? entry.model->model().name() : entry.id},
              {"created_at", rfc3339(created)},
              {"lifecycle", "active"},
              {"status", {{"value", state_word(entry.state)}}}};
  if (entry.model) out["meta"] = meta_json(*entry.model);
  return out;
}

std::vector<Json> adapters_json(const ModelPool::Entry& entry) {
  std::vector<Json> out;
  if (!entry.model) return out;
  const int64_t created = entry.model->created();
  for (const LoraList::Entry& e : entry.model->loras().all())
    if (!e.name.empty())
      out.push_back({{"id", e.name},
                     {"object", "model"},
                     {"created", created},
                     {"owned_by", "skald"},
                     {"type", "model"},
                     {"display_name", e.name},
                     {"created_at", rfc3339(created)},
                     {"lifecycle", "active"},
                     {"root", e.lora.path()},
                     {"parent", entry.id},
                     {"status", {{"value", state_word(entry.state)}}}});
  return out;
}

// Of the model's path, name and size, not of the content, which would have to be read for it.
std::string digest_of(const ModelPool::Entry& entry) {
  const size_t a = std::hash<std::string>()(entry.path + "\n" + entry.id);
  const size_t b = entry.model ? static_cast<size_t>(entry.model->bytes()) : 0;
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", a, b, a ^ (b * 0x9E3779B97F4A7C15u), ~a);
}

}  // namespace skald::serve
