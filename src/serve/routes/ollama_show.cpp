// POST /api/show: the details of a model.
#include <variant>

#include "loading/loaded_model.h"
#include "serve/fields/infill.h"
#include "serve/fields/ollama.h"
#include "serve/models/ollama_json.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// Metadata but for lists, which may be long.
Json info_of(const LoadedModel& model) {
  Json out = Json::object();
  for (const auto& [key, value] : model.meta().entries())
    std::visit(
        [&](const auto& v) {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) out[key] = v;
        },
        value);
  out["general.parameter_count"] = model.n_parameters();
  return out;
}

Json capabilities(ServedModel& model) {
  Json out = Json::array();
  if (!model.writes()) return Json::array({"embedding"});
  out.push_back("completion");
  const std::string_view format = model.reply_format().name;
  if (format != "none" && format != "json") out.push_back("tools");
  if (lacks_for_infill(model).empty()) out.push_back("insert");
  return out;
}

void handle_show(const std::shared_ptr<RequestContext>& context) {
  const std::string name = ollama_model(Fields(context->body()), context->service().models());
  with_model(context, name, [context, name](const Lease& model) {
    const LoadedModel& loaded = *model->model().loaded();
    context->send(Json{{"license", ""},
                       {"modelfile", ""},
                       {"parameters", model->model().described_sampling_defaults()},
                       {"template", loaded.find_tokenizer() && model->writes() ? model->chat_template(false).source() : ""},
                       {"details", ollama_details(context->service().models().list(name).front())},
                       {"model_info", info_of(loaded)},
                       {"capabilities", capabilities(*model)}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_show;
const serve::Route route_ollama_show{.method = "POST", .paths = {"/api/show"}, .handle = serve::handle_show};
}  // namespace skald
