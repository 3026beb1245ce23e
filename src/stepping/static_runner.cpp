#include "stepping/static_runner.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/memory_lock.h"
#include "stepping/finite.h"
#include "stepping/static_scales.h"
#include "stepping/step_adapters.h"

namespace skald {
namespace {

// Tokens of a prompt that are computed at once. More would be faster on large models, but leave longer ends to single steps.
constexpr int64_t kChunk = 64;

StaticKvSpec spec_of(const StepModel& model, const StaticParams& params) {
  return {.layers = attention_states(model.states),
          .context = params.context,
          .element_bytes = params.bits / 8,
          .reserve = static_reserve(params.reserve)};
}

}  // namespace

StaticRunner::StaticRunner(StepModel model, Backend& backend, const CacheOptions& cache)
    : model_(std::move(model)),
      backend_(backend),
      weights_(backend.load(model_.graph({1, 1}), *model_.weights)),
      params_(cache.static_shapes),
      manager_(spec_of(model_, params_)),
      no_pages_(make_kv_spec({}, {}, params_.context), {.max_keys = params_.context}) {
  if (!backend.memory().host_visible())
    fail(Errc::kUnsupported, "cache.static_shapes: the windows lie in the host's memory, which {} does not read",
         backend.info().device);
  if (cache.lock) MemoryLock("the KV cache", manager_.bytes()).lock(manager_.memory());
  const auto n_layers = static_cast<int64_t>(manager_.spec().layers.size());
  if (params_.bits == 8 && !params_.scales.empty()) scales_ = scales_per_layer(params_.scales, n_layers);
}

void StaticRunner::compile() {
  if (!one_) one_ = compiled(1);
}

StaticRunner::Compiled StaticRunner::compiled(int64_t tokens) const {
  const int64_t window = manager_.spec().window_rows();
  // A chunk's own rows are the newest of the window; a single token's row lies after it.
  const StepCapacity capacity{.tokens = tokens,
                              .keys = params_.context,
                              .past = tokens == 1 ? window : window - tokens,
                              .past_format = &static_kv_format(manager_.spec().element_bytes)};
  std::unique_ptr<Program> program = backend_.compile(model_.graph(capacity), *weights_);
  StepInputs inputs(program->graph());
  return {std::move(program), std::move(inputs)};
}

void StaticRunner::begin(std::span<const TokenId> tokens) {
  manager_.reset();
  if (params_.bits == 8 && params_.scales.empty()) scales_ = calibrated_scales(model_, backend_, tokens);
}

// A chunk's tokens must all see the same keys as they would one by one: none may leave the window within it.
int64_t StaticRunner::step_rows(int64_t tokens_left) const {
  const bool fits =
      kChunk < manager_.spec().window_rows() && manager_.counters().tokens + kChunk <= manager_.spec().window_rows();
  return fits && tokens_left >= kChunk ? kChunk : 1;
}

Logits StaticRunner::run(std::span<const StepItem> items) {
  SKALD_ASSERT(items.size() == 1 && items[0].n_outputs <= 1 && !items[0].tokens.empty());
  const StepItem& item = items[0];
  check_tokens(item.tokens, model_.n_vocab);
  check(item);
  if (item.kv->length() == 0) begin(item.tokens);
  SKALD_ASSERT(item.kv->length() == manager_.counters().tokens);
  Logits logits;
  for (std::span<const TokenId> rest = item.tokens; !rest.empty();) {
    const auto n = static_cast<size_t>(step_rows(static_cast<int64_t>(rest.size())));
    const bool wanted = item.n_outputs == 1 && n == rest.size();
    logits = step({.kv = item.kv,
                   .tokens = rest.first(n),
                   .n_outputs = wanted ? 1 : 0,
                   .decode = item.decode,
                   .adapters = item.adapters});
    item.kv->set_length(item.kv->length() + static_cast<int64_t>(n));
    rest = rest.subspan(n);
  }
  return logits;
}

// Chunks of an item are items of their own, without what it brings besides its tokens and adapters.
void StaticRunner::check(const StepItem& item) const {
  if (item.sparq && item.sparq->on()) fail(Errc::kUnsupported, "fixed shapes do not decode sparsely");
  if (!item.positions.empty() || !item.parents.empty())
    fail(Errc::kUnsupported, "fixed shapes take no positions or parents");
}

Logits StaticRunner::step(const StepItem& item) {
  const auto n = static_cast<int64_t>(item.tokens.size());
  std::optional<Compiled>& compiled_step = n == 1 ? one_ : chunk_;
  if (!compiled_step) compiled_step = compiled(n);
  if (n > 1) manager_.append(n);
  bind(n);
  const StepStats::Sequence sequence{n, item.kv->length() + n};
  const auto element_bytes = static_cast<double>(manager_.spec().element_bytes);
  fill_adapters({&item, 1}, {}, adapters_);
  StepArgs args{.inputs = compiled_step->inputs.fill({&item, 1}),
                .kv = {},
                .bound = bound_,
                .decode = item.decode,
                .profile = profile_,
                .adapters = adapters_.empty() ? nullptr : &adapters_,
                .stats = {.n_tokens = n,
                          .n_outputs = item.n_outputs,
                          .sequences = {&sequence, 1},
                          .kv_element_bytes_k = element_bytes,
                          .kv_element_bytes_v = element_bytes}};
  const auto run = [&](StepObserver* finder) {
    args.observer = finder;
    return compiled_step->program->run(args).at(model_.output);
  };
  Logits logits = finite_logits(run, {}, item.n_outputs > 0);
  if (n == 1) manager_.advance();
  return logits;
}

std::shared_ptr<const DeviceAdapter> StaticRunner::adapt(std::shared_ptr<const Adapter> adapter) {
  return backend_.adapt(model_.graph({1, 1}), std::move(adapter));
}

// In the order that the graph says, see Net::attention.
void StaticRunner::bind(int64_t rows) {
  bound_.clear();
  for (size_t l = 0; l < manager_.spec().layers.size(); ++l) {
    const auto layer = static_cast<int64_t>(l);
    float* scale = params_.bits == 8 ? &scales_[2 * l] : nullptr;
    bind(manager_.keys(layer, 0), rows, scale);
    bind(manager_.values(layer, 0), rows, scale ? scale + 1 : nullptr);
  }
}

void StaticRunner::bind(const StaticWindow& window, int64_t rows, float* scale) {
  if (scale) bound_.push_back({reinterpret_cast<std::byte*>(scale)});
  bound_.push_back({window.input, window.head_stride});
  bound_.push_back({rows == 1 ? window.output : window.newest(rows), window.head_stride});
}

std::string StaticRunner::kv_storage() const {
  return fmt::format("windows of {} keys, {}", params_.context, static_kv_format(manager_.spec().element_bytes).name);
}

void StaticRunner::report(MemoryUse& use) const {
  const StaticKvSize size = static_kv_size(manager_.spec());
  const StaticKvCounters& done = manager_.counters();
  use.kv = {{.layers = static_cast<int64_t>(manager_.spec().layers.size()),
             .window = params_.context,
             .keys = size.key_bytes,
             .values = size.value_bytes}};
  use.static_use = {.context = params_.context,
                    .bits = params_.bits,
                    .reserve = params_.reserve,
                    .bytes = manager_.bytes(),
                    .tokens = done.tokens,
                    .shifts = done.shifts,
                    .copies = done.copies,
                    .copied_bytes = done.copied_bytes,
                    .scales = scales_};
}

}  // namespace skald
