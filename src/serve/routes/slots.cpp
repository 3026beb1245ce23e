// GET /slots: the state of the slots. It has no clients' texts.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/llama_writer.h"

namespace skald::serve {
namespace {

using State = EngineStatus::Slot::State;

std::string_view word(State state) {
  switch (state) {
    case State::kIdle:
      return "idle";
    case State::kPrefill:
      return "prefill";
    case State::kDecode:
      return "decode";
    case State::kPaused:
      break;
  }
  return "paused";
}

void send_slots(RequestContext& context, ServedModel& model) {
  const EngineStatus status = model.engine().status();
  Json out = Json::array();
  bool idle = false;
  for (const EngineStatus::Slot& slot : status.slots) {
    idle = idle || slot.state == State::kIdle;
    out.push_back({{"id", out.size()},
                   {"id_task", slot.request},
                   {"n_ctx", model.engine().n_ctx()},
                   {"is_processing", slot.state != State::kIdle},
                   {"state", word(slot.state)},
                   {"n_prompt_tokens", slot.n_prompt},
                   {"n_prompt_tokens_cached", slot.n_cached},
                   {"n_decoded", slot.n_decoded},
                   {"pages", slot.pages},
                   {"params", Json::object()}});
  }
  const std::string* must = context.request().parameter("fail_on_no_slot");
  if (must && *must != "0" && !idle) throw ApiError(503, "no slot is idle");
  context.send(out);
}

void handle_slots(const std::shared_ptr<RequestContext>& context) {
  if (!context->service().options().slots) throw ApiError(501, "slots are off: the server was started with --no-slots");
  const std::string* name = context->request().parameter("model");
  with_model(context, name ? *name : "", [context](Lease model) { send_slots(*context, *model); });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_slots;
const serve::Route route_slots{.method = "GET", .paths = {"/slots"}, .handle = serve::handle_slots, .polled = true};
}  // namespace skald
