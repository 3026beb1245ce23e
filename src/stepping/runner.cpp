#include "stepping/runner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "kv/slot_memories.h"
#include "stepping/cache_options.h"
#include "stepping/finite.h"
#include "stepping/sparq_layers.h"
#include "stepping/sparq_pilot.h"
#include "stepping/step_adapters.h"

namespace skald {
namespace {

// Programs are shared between steps of similar size.
int64_t bucket(int64_t rows) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(rows, 1))));
}

// Of the keys' second copy; 0 without one. All layers have the same.
double index_bytes(const KvSpec& spec) {
  for (const KvView& view : spec.views)
    if (view.index.kind != KeyIndex::kNone) return IndexColumns::bytes_per_key(view.index.kind);
  return 0;
}

// Names the way in which a generated row chooses the keys that it reads.
uint32_t name_of(const SparqParams& p) {
  const std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {}", p.k1, p.k2, p.ratio, p.loss, p.local, p.even, p.index,
                  p.mean ? int{*p.mean} : -1, static_cast<int>(p.choice), static_cast<int>(p.selector));
  return std::max(1U, static_cast<uint32_t>(std::hash<std::string>{}(text)));
}

// Keys of a prefix depend on all of its tokens.
void check_prefix(const StepItem& item) {
  const int64_t missing = item.kv->prefix() - item.kv->length(), n = static_cast<int64_t>(item.tokens.size());
  if (missing > n)
    fail(Errc::kBadInput, "the first {} tokens see each other in both directions and must be in one step, which has {}",
         missing, n);
}

// Whether a cache that is laid out for `there` has all that `wanted` reads.
bool lies_in(const KvStorage& wanted, const KvStorage& there) {
  return (wanted.index == KeyIndex::kNone || wanted.index == there.index) && wanted.page_bounds <= there.page_bounds &&
         wanted.key_sums <= there.key_sums && wanted.value_sums <= there.value_sums;
}

// The part of the model that this process computes.
StepModel own_share(StepModel model, Backend& backend) {
  const std::optional<Graph> share = backend.own_share(model.graph({1, 1}));
  if (!share) return model;
  model.states = share->states;
  for (auto* graph : {&model.graph, &model.loaded_graph})
    if (*graph)
      *graph = [whole = std::move(*graph), &backend](const StepCapacity& step) { return *backend.own_share(whole(step)); };
  return model;
}

// The smallest step over a cache that is laid out like this.
StepCapacity least_step(const KvStorage& storage) { return {.indexed = storage.index != KeyIndex::kNone}; }

// Each slot lies where the backend's programs want it, and as they want it.
KvCache cache_of(const StepModel& model, Backend& backend, const KvStorage& storage, const KvLimits& limits) {
  SlotMemories at(backend.state_memories(model.graph({1, 1})));
  KvSpec spec = make_kv_spec(model.states, storage, limits.max_keys, std::move(at.memory_of), at.memories);
  return {std::move(spec), limits, std::move(at.memories)};
}

std::shared_ptr<const DeviceWeights> weights_of(const StepModel& model, Backend& backend, const StepCapacity& least) {
  if (model.loaded) return model.loaded;
  return backend.load((model.loaded_graph ? model.loaded_graph : model.graph)(least), *model.weights);
}

}  // namespace

Runner::Runner(StepModel model, Backend& backend, const CacheOptions& cache, const ScheduleOptions& schedule)
    : model_(own_share(std::move(model), backend)),
      backend_(backend),
      storage_(storage_of(cache, model_.states)),
      weights_(weights_of(model_, backend, least_step(storage_))),
      kv_(cache_of(model_, backend, storage_, limits_of(cache, schedule))),
      sparq_(cache.sparq),
      coarse_keys_(kv_.spec()),
      meter_(kv_, bases_, [this](const StepItem& item, const Probe& probe) {
        return compute({&item, 1}, &probe);
      }) {
  bases_ = slots_with_basis(model_.graph(least_step(storage_)));
  stats_.kv_element_bytes_k = kv_.spec().key_number_bytes();
  stats_.kv_element_bytes_v = kv_.spec().v_format->bytes_per_number();
  stats_.kv_index_bytes = index_bytes(kv_.spec());
}

Runner::Compiled& Runner::compiled(int64_t n_tokens, int64_t n_outputs, bool shifted, bool sparse) {
  StepCapacity capacity = least_step(storage_);
  capacity.tokens = bucket(n_tokens);
  capacity.outputs = bucket(n_outputs);
  capacity.keys = kv_.limits().max_keys;
  capacity.sparse = sparse;
  capacity.shifted = shifted;
  if (const auto at = programs_.find(capacity); at != programs_.end()) return at->second;
  std::unique_ptr<Program> program = backend_.compile(model_.graph(capacity), *weights_);
  StepInputs inputs(program->graph());
  return programs_.emplace(capacity, Compiled{std::move(program), std::move(inputs)}).first->second;
}

void Runner::reserve(std::span<const StepItem> items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kv->reserve(items[i].kv->length() + static_cast<int64_t>(items[i].tokens.size()))) continue;
    for (const StepItem& item : items.first(i)) item.kv->unreserve();
    fail(Errc::kNoMemory, "the KV cache is full: it has room for {} sequences of {} tokens", kv_.limits().n_sequences,
         kv_.limits().max_keys);
  }
}

void Runner::collect(std::span<const StepItem> items) {
  positions_.clear();
  row_seq_.clear();
  sequences_.clear();
  stats_.n_outputs = 0;
  for (const StepItem& item : items) {
    const auto n = static_cast<int64_t>(item.tokens.size());
    const SparqParams* const sparq = item_sparq_[sequences_.size()].params;
    for (int64_t i = 0; i < n; ++i) positions_.push_back(static_cast<int32_t>(item.kv->length() + i));
    row_seq_.insert(row_seq_.end(), item.tokens.size(), static_cast<int32_t>(sequences_.size()));
    sequences_.push_back({n, item.kv->held() + n, sparq, item.kv->prefix()});
    stats_.n_outputs += item.n_outputs;
  }
  stats_.n_tokens = static_cast<int64_t>(positions_.size());
  stats_.sequences = sequences_;
}

// Throws before anything has changed.
Runner::Compiled& Runner::prepare(std::span<const StepItem> items, const Probe* probe) {
  bool shifted = false, sparse = sparq_.on();
  item_sparq_.clear();
  origins_.clear();
  for (const StepItem& item : items) {
    check_tokens(item.tokens, model_.n_vocab);
    check_prefix(item);
    shifted = shifted || item.kv->dropped() > 0;
    const SparqPolicy sparq = sparq_of(item, probe);
    sparse = sparse || sparq.params;
    item_sparq_.push_back(sparq);
    origins_.push_back({.generated = item.decode, .policy = sparq.params ? policy(*sparq.params) : 0, .draft = item.draft});
  }
  collect(items);
  Compiled& out = compiled(stats_.n_tokens, stats_.n_outputs, shifted, sparse);
  for (const StepItem& item : items) out.inputs.check(item);
  return out;
}

SparqPolicy Runner::sparq_of(const StepItem& item, const Probe* probe) const {
  if (probe) return probe->policy;
  const SparqParams& params = item.sparq ? *item.sparq : sparq_;
  if (!item.decode || !params.on()) return {};
  return item.pilot ? item.pilot->policy(item.kv->length()) : SparqPolicy{&params};
}

uint32_t Runner::policy(const SparqParams& params) {
  constexpr size_t kMost = 64;
  if (const auto at = std::ranges::find(policies_, params, &Policy::params); at != policies_.end()) return at->name;
  KvStorage wanted = storage_of({.sparq = params}, model_.states);
  if (params.index == "auto" && wanted.index != KeyIndex::kNone && storage_.index != KeyIndex::kNone)
    wanted.index = storage_.index;
  if (!lies_in(wanted, storage_))
    fail(Errc::kUnsupported, "the cache is not laid out for this way of sparse decoding: its index or its sums are missing");
  if (policies_.size() == kMost) policies_.clear();
  policies_.push_back({params, name_of(params)});
  return policies_.back().name;
}

void Runner::collect_views(std::span<const StepItem> items) {
  views_.clear();
  recurrent_.clear();
  for (int64_t slot = 0; slot < std::ssize(kv_.spec().slots); ++slot)
    for (const StepItem& item : items) {
      const bool attention = kv_.spec().is_attention(slot);
      views_.push_back(attention ? item.kv->view(slot) : KvView{});
      views_.back().decode = item.decode;
      views_.back().in_order = true;
      recurrent_.push_back(attention ? nullptr : item.kv->recurrent(slot));
    }
}

Logits Runner::run(std::span<const StepItem> items) {
  meter_.before(items);
  Logits logits = compute(items, nullptr);
  meter_.after(items, logits);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!item_sparq_[i].params) continue;
    const int64_t n = std::ssize(items[i].tokens);
    sparq_tokens_ += n;
    const double nats = items[i].pilot ? items[i].pilot->nats(items[i].kv->length() - 1) : 0;
    if (nats <= 0) continue;
    steered_tokens_ += n;
    nats_ = nats_ + static_cast<double>(n) * nats;  // no other thread writes it
  }
  measured_rows_ = meter_.rows();
  return logits;
}

StepObserver* Runner::observer() { return observer_ || coarse_keys_.done() ? observer_ : &coarse_keys_; }

// `probe`: the step only measures.
Logits Runner::compute(std::span<const StepItem> items, const Probe* probe) {
  Compiled& step = prepare(items, probe);
  reserve(items);
  collect_views(items);
  fill_adapters(items, own_adapters_, adapters_);
  StepArgs args{
      .inputs = step.inputs.fill(items),
      .positions = positions_.data(),
      .kv = {views_.data(), recurrent_.data(), static_cast<int64_t>(items.size()), row_seq_.data(), item_sparq_.data()},
      .sparq_times = probe ? nullptr : sparq_times_,
      .sparq_reads = probe ? nullptr : &sparq_reads_,
      .observer = probe ? probe->observer : observer(),
      .profile = profile_,
      .adapters = adapters_.empty() ? nullptr : &adapters_,
      .stats = stats_};
  const auto run = [&](StepObserver* finder) {
    if (finder) args.observer = finder;
    const StepOutputs& given = step.program->run(args);
    if (model_.gives_hidden) hidden_ = Logits(given.at(output_names::kHidden));
    return given.at(model_.output);
  };
  const bool keys_are_seen = args.observer == &coarse_keys_;
  Logits logits = finite_logits(run, positions_);
  if (keys_are_seen && coarse_keys_.done()) coarse_keys_.tell();
  for (size_t i = 0; i < items.size(); ++i)
    items[i].kv->set_length(items[i].kv->length() + std::ssize(items[i].tokens), origins_[i]);
  return logits;
}

std::shared_ptr<const DeviceAdapter> Runner::adapt(std::shared_ptr<const Adapter> adapter) {
  return backend_.adapt(model_.graph(least_step(storage_)), std::move(adapter));
}

void Runner::set_sparq(const SparqParams& sparq) {
  if (sparq.on()) policy(sparq);
  sparq_ = sparq;
}

SparqUse Runner::sparq_use() const {
  return {.read = sparq_reads_.read,
          .dense = sparq_reads_.dense,
          .tokens = sparq_tokens_,
          .measured = measured_rows_,
          .known = steered_tokens_,
          .nats = nats_};
}

std::vector<SparqLayers> Runner::sparq_layers() const {
  return skald::sparq_layers(sparq_, kv_.spec(), kv_.limits(), bases_);
}

std::string Runner::kv_storage() const { return describe(kv_.spec()); }

void Runner::report(MemoryUse& use) const {
  const std::vector<KvGroup>& groups = kv_.spec().groups;
  use.kv.resize(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const PagePool& pool = kv_.pool(i);
    const int64_t coded = pool.bytes() / groups[i].slab.bytes * groups[i].key_bytes;
    use.kv[i] = {.layers = static_cast<int64_t>(groups[i].slots.size()),
                 .window = groups[i].window,
                 .pages = pool.pages(),
                 .keys = coded + kv_.open_pool(i).bytes(),
                 .values = pool.bytes() - coded,
                 .index = kv_.index_pool(i).bytes() + kv_.index_pool(i, RunLength::kShort).bytes()};
  }
  const KvSpec& spec = kv_.spec();
  use.states = {.layers = std::ssize(spec.slots) - std::ssize(attention_states(spec.slots)),
                .each = spec.recurrent_floats * static_cast<int64_t>(sizeof(float)),
                .bytes = kv_.recurrent().bytes()};
}

}  // namespace skald
