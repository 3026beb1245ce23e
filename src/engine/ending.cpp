#include "engine/ending.h"

#include <new>
#include <utility>

#include "engine/callback.h"

namespace skald {

void set_error(Result& result, std::string_view error, std::optional<Errc> code) noexcept {
  static constexpr std::string_view kShort = "out of memory";  // which a string holds without an allocation
  result.code = code;
  try {
    result.error = error;
  } catch (const std::bad_alloc&) {
    result.error = kShort;
  }
}

void finish_unrun(RequestId id, const Request& request, KeptPromise<Result>& promise, const Timing& timing,
                  FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept {
  if (request.on_event)
    call_back(id, [&] { request.on_event({.finish = reason, .error = error, .code = code, .over = true}); });
  Result result;
  result.finish = reason;
  result.seed = request.sampling.seed;
  result.timing = timing;
  result.timing.n_prompt = static_cast<int64_t>(request.prompt.size());
  set_error(result, error, code);
  promise.set_value(std::move(result));
}

}  // namespace skald
