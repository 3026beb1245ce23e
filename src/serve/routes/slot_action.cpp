// POST /slots/{id}?action=save|restore|erase: the last sequence of a slot, to a file and back.
#include <algorithm>
#include <charconv>

#include "serve/fields/generation_request.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr size_t kMostName = 128;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A file of the folder, and no other.
std::string file_name(const Fields& fields) {
  std::string name = fields.text("filename").value_or("");
  if (name.empty() || name.size() > kMostName || name.front() == '.' || !std::ranges::all_of(name, is_name_letter))
    refuse_field("filename", "1 to 128 letters, digits, '.', '_' and '-', without a '.' in front");
  return name;
}

int64_t slot_number(const RequestContext& context) {
  int64_t slot = 0;
  const char* const end = context.part.data() + context.part.size();
  const auto [at, error] = std::from_chars(context.part.data(), end, slot);
  const bool there =
      error == std::errc{} && at == end && slot >= 0 && slot < context.service().options().engine.schedule.n_parallel;
  if (!there) throw ApiError(404, "there is no slot " + context.part);
  return slot;
}

// Throws the engine's errors of slots and files as the client's.
template <class F>
void of_slot(F f) {
  try {
    f();
  } catch (const Error& e) {
    if (e.code() == Errc::kNotFound) throw ApiError(404, e.what());
    if (e.code() == Errc::kBadFile) throw ApiError(400, e.what(), "filename");
    if (e.code() == Errc::kNoMemory || e.code() == Errc::kBusy) throw ApiError(503, e.what());
    throw;
  }
}

void act(RequestContext& context, ServedModel& model, const std::string& action, const Fields& fields) {
  const std::string& folder = context.service().options().slot_save_path;
  const int64_t slot = slot_number(context);
  const std::string owner = cache_owner(context.owner);
  if (action == "erase") return context.send(Json{{"id_slot", slot}, {"n_erased", model.engine().erase_slot(slot, owner)}});
  const std::string name = file_name(fields);
  const bool saves = action == "save";
  const SlotFile file =
      saves ? model.engine().save_slot(slot, owner, folder, name) : model.engine().restore_slot(slot, owner, folder, name);
  context.send(Json{{"id_slot", slot},
                    {"filename", name},
                    {saves ? "n_saved" : "n_restored", file.tokens},
                    {saves ? "n_written" : "n_read", file.bytes},
                    {"timings", {{saves ? "save_ms" : "restore_ms", context.seconds() * 1e3}}}});
}

void handle_slot_action(const std::shared_ptr<RequestContext>& context) {
  if (!context->service().options().slots) throw ApiError(501, "slots are off: the server was started with --no-slots");
  if (context->service().options().slot_save_path.empty())
    throw ApiError(501, "slots are not saved: the server was started without --slot-save-path");
  const std::string* const action = context->request().parameter("action");
  if (!action || (*action != "save" && *action != "restore" && *action != "erase"))
    throw ApiError(400, "action: want save, restore or erase", "action");
  slot_number(*context);
  const Fields fields(context->body());
  const std::string* const name = context->request().parameter("model");
  const std::string model = name ? *name : fields.text("model").value_or("");
  with_model(context, model, [context, action = *action](const Lease& lease) {
    context->service().post_file_work(
        context, [context, action, lease] { of_slot([&] { act(*context, *lease, action, Fields(context->body())); }); });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_slot_action;
const serve::Route route_slot_action{.method = "POST", .paths = {"/slots/{}"}, .handle = serve::handle_slot_action};
}  // namespace skald
