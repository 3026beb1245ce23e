// GET /props: the server's properties.
#include "io/printable.h"
#include "loading/loaded_model.h"
#include "serve/chat/chat.h"
#include "serve/fields/generation_request.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/llama_writer.h"
#include "skald/version.h"

namespace skald::serve {
namespace {

Json store_json(const PrefixStore::Status& store) {
  if (store.kind.empty()) return nullptr;
  return {{"kind", store.kind}, {"where", valid_utf8(store.label)}, {"up", store.up}};
}

Json kv_json(const EngineStatus::Pages& pages, const PrefixStore::Status& disk) {
  return {{"page_tokens", pages.page_tokens}, {"page_bytes", pages.page_bytes}, {"pages_total", pages.total},
          {"pages_active", pages.active},     {"pages_cached", pages.cached},   {"pages_free", pages.free},
          {"disk_pages", disk.pages},         {"disk_bytes", disk.bytes},       {"store", store_json(disk)}};
}

std::string template_of(ServedModel& model) {
  return model.model().loaded()->find_tokenizer() ? model.chat_template(/*tools=*/false).source() : "";
}

// Of requests that say nothing.
Json settings_of(ServedModel& model, float temperature) {
  Request request;
  request.max_tokens = static_cast<int>(model.options().n_predict);
  return settings_json(model.sampling_defaults(temperature), request);
}

Json chat_settings_of(ServedModel& model) {
  Json out = settings_of(model, kOpenAiTemperature);
  out["reasoning_budget"] = chat_defaults(model.options()).reasoning_budget;
  return out;
}

void send_props(RequestContext& context, ServedModel& model) {
  const ServeOptions& options = context.service().options();
  const BuildInfo build = build_info();
  Json out = {{"default_generation_settings", {{"n_ctx", model.n_ctx()}, {"params", settings_of(model, kLlamaTemperature)}}},
              {"total_slots", options.engine.schedule.n_parallel},
              {"model_path", model.path()},
              {"model_alias", model.id()},
              {"role", role_name(options.role)},
              {"chat_template", template_of(model)},
              {"modalities", {{"vision", false}, {"audio", false}}},
              {"build_info", build.version + " (" + build.commit + ")"}};
  if (model.writes()) {
    out["chat_generation_settings"] = {{"params", chat_settings_of(model)}};
    out["kv"] = kv_json(model.engine().status().pages, context.service().disk());
  }
  context.send(out);
}

void handle_props(const std::shared_ptr<RequestContext>& context) {
  const std::string* name = context->request().parameter("model");
  with_model(context, name ? *name : "", [context](Lease model) { send_props(*context, *model); });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_props;
const serve::Route route_props{.method = "GET", .paths = {"/props"}, .handle = serve::handle_props, .polled = true};
}  // namespace skald
