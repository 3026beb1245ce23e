#include "engine/adapter_mixes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/error.h"

namespace skald {
namespace {

// The place where the tokens begin last; none where the text lacks them.
std::optional<int64_t> last_of(std::span<const TokenId> text, std::span<const TokenId> tokens) {
  const auto found = std::ranges::find_end(text, tokens);
  return found.empty() ? std::nullopt : std::optional<int64_t>(found.begin() - text.begin());
}

// An adapter without invocation tokens acts from the beginning.
std::optional<int64_t> begin_of(const Adapter& adapter, std::span<const TokenId> prompt) {
  return adapter.invocation.empty() ? 0 : last_of(prompt, adapter.invocation);
}

}  // namespace

std::shared_ptr<const DeviceAdapter> AdapterMixes::adapted(const std::shared_ptr<const LoadedLora>& lora) {
  const std::lock_guard lock(mutex_);
  std::erase_if(adapted_, [](const auto& a) { return a.second.lora.expired(); });
  Adapted& own = adapted_[lora.get()];
  if (!own.adapter) own = {lora, stepper_.adapt(lora->adapter)};
  return own.adapter;
}

void AdapterMixes::resolve(Request& request) {
  AdapterMix mix;
  for (const LoraUse& use : request.loras ? *request.loras : own_) {
    const std::shared_ptr<const LoadedLora>& lora = use.lora.loaded();
    if (!std::isfinite(use.scale)) fail(Errc::kBadInput, "loras: the scale of {} is not finite", use.lora.name());
    if (lora->model.get() != &model_) fail(Errc::kBadInput, "loras: {} was loaded for another model", use.lora.name());
    const std::optional<int64_t> from = begin_of(*lora->adapter, request.prompt);
    if (use.scale == 0 || !from) continue;
    mix.uses.push_back({adapted(lora), use.scale, *from});
    if (lora->adapter->invocation.empty())
      request.scope += fmt::format("\n{} * {:08x}", hexadecimal(lora->sum), std::bit_cast<uint32_t>(use.scale));
    else
      mix.own_from = std::min(mix.own_from, *from);
  }
  if (mix.own_from < std::ssize(request.prompt)) request.conversation = 0;  // the next turn may invoke it elsewhere
  request.adapters = mix.uses.empty() ? nullptr : std::make_shared<const AdapterMix>(std::move(mix));
}

void AdapterMixes::check() {
  Request request;
  resolve(request);
}

int64_t shareable(const Request& request) {
  const int64_t n = std::ssize(request.prompt);
  return request.adapters ? std::min(n, request.adapters->own_from) : n;
}

}  // namespace skald
