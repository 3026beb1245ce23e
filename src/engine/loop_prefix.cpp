// Pages of prompts that requests share: those with which a request begins, that it takes over on its way, and that it
// leaves.
#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "engine/adapter_mixes.h"
#include "engine/loop.h"
#include "engine/mark_points.h"

namespace skald {

// Recurrent states are only taken over where they are kept.
std::unique_ptr<PrefixCache> EngineLoop::make_prefixes() {
  KvCache& cache = stepper_.kv();
  const PrefixReports reports = o_.reports ? *o_.reports : PrefixReports{};
  const bool keeps = cache.spec().recurrent_floats == 0 || cache.most_checkpoints() > 0;
  return o_.share_prefixes && keeps ? std::make_unique<PrefixCache>(cache, o_.disk, reports) : nullptr;
}

// The part of a prompt that may be taken: its last token's logits are wanted.
std::span<const TokenId> EngineLoop::takeable(const Request& request) {
  const auto last = static_cast<size_t>(std::min(std::ssize(request.prompt) - 1, shareable(request)));
  return std::span(request.prompt).first(last);
}

// Keys of a prefix that is seen in both directions depend on all of its tokens.
bool EngineLoop::may_take(const Request& request, const KvSequence& kv) const {
  return prefixes_ && request.cache_prompt && !request.prompt_log_probs && kv.prefix() == 0;
}

// Conversations keep their past for themselves.
bool EngineLoop::shares(const Request& request, const KvSequence& kv) const {
  return may_take(request, kv) && !request.conversation;
}

bool EngineLoop::shares(const Member& m) const { return shares(m.job->request(), m.branch->kv); }

Past EngineLoop::cached_past(const Request& request) {
  const PrefixIndex::Namespace ns = namespace_of(request);
  return prefixes_->match(ns, takeable(request), ns.reuse());
}

// Whether a request has to wait for pages from the disk.
bool EngineLoop::waits_for_disk(const Waiting& next) {
  if (!shares(next.request, stepper_.new_sequence()) || prefix_of(next.request.prompt) > 0) return false;
  return prefixes_->fetch(
      next.id, namespace_of(next.request), takeable(next.request),
      [this](const KvRoom& need) { return obtainable().covers(need); },
      /*anew=*/!next.request.prefilled.name.empty());
}

void EngineLoop::count_prefilled(const StoredPrefix& named, int64_t taken) {
  if (named.name.empty()) return;
  ++counts_.prefilled;
  counts_.prefilled_missed += taken < named.tokens;
}

// Others may have computed more of a prompt since it was admitted, or before it goes on after a pause: then as a prompt
// only, as it was.
void EngineLoop::catch_up(const Member& m) {
  Branch& b = *m.branch;
  if (b.kv.length() >= b.n_prompt() - 1 || !shares(m)) return;
  const PrefixIndex::Namespace ns = namespace_of(m.job->request());
  const std::span<const TokenId> prompt = takeable(m.job->request());
  if (prefixes_->find(ns, prompt) <= b.kv.length()) return;
  Past past = prefixes_->match(ns, prompt);
  if (past.kv.length() <= b.kv.length()) return;
  const int64_t more = b.take_over(std::move(past));
  m.job->took_over(more);
  counts_.cached_tokens += more;
}

// Whether an older request is about to compute pages that this one needs next.
bool EngineLoop::waits_for(const Member& m, std::span<const Member> older) const {
  const Branch& b = *m.branch;
  if (b.generates() || !shares(m)) return false;
  const int64_t at = b.kv.length();
  return std::ranges::any_of(older, [&](const Member& o) {
    const Branch& first = *o.branch;
    if (first.generates() || !shares(o) || o.job->request().scope != m.job->request().scope ||
        o.job->request().reuse_generated != m.job->request().reuse_generated)
      return false;
    const int64_t step = b.kv.sharing_step();
    int64_t until = std::min(at - at % step + step, first.n_prompt() - first.n_prompt() % kPageKeys);
    if (b.kv.shares_whole()) until = first.next_stop().value_or(0);
    if (until <= at || until >= b.n_prompt() || until <= first.kv.length()) return false;
    if (until > std::min(shareable(m.job->request()), shareable(o.job->request()))) return false;
    const auto beginning = static_cast<size_t>(until);
    return std::ranges::equal(b.tokens().first(beginning), first.tokens().first(beginning));
  });
}

// Keeps the pages that a step has added to a prompt, for others to take over. A model with an index can do so cheaply at
// some places only, and states are kept at some only.
void EngineLoop::keep_pages(const Member& m) {
  Branch& b = *m.branch;
  if (b.kv.length() > b.n_prompt() || !shares(m)) return;
  const int64_t n = b.kv.length(), most = shareable(m.job->request());
  if (b.kv.shares_whole() && (!b.is_at_stop() || n > most)) return;
  if (n > most) {
    prefixes_->keep(namespace_of(m.job->request()), b.tokens().first(static_cast<size_t>(most - most % kPageKeys)), b.kv);
    return;
  }
  const int64_t shared = n < b.n_prompt() && !b.kv.shares_whole() ? n - n % b.kv.sharing_step() : n;
  const PrefixIndex::Namespace ns = namespace_of(m.job->request());
  // The same prompt again leaves its last token to compute: it comes back to the page's border before that.
  const int64_t again = (b.n_prompt() - 1) / kPageKeys * kPageKeys;
  if (n == b.n_prompt() && again > 0 && again < shared)
    prefixes_->keep(ns, b.tokens().first(static_cast<size_t>(again)), b.kv);
  const bool thins = b.kv.forgets() && !b.kv.shares_whole();
  const bool passing = thins && n < b.n_prompt();
  const bool made = prefixes_->keep(ns, b.tokens().first(static_cast<size_t>(shared)), b.kv, passing);
  if (thins) thin_checkpoints(ns, b, shared, made);
}

// Each step of a prompt ends at a checkpoint of the windows, which other prompts with that beginning take over. A long
// prompt leaves few of them: one in 512 of its first 4,096 tokens, then one in 4,096. Else they would evict those of all
// other prompts.
void EngineLoop::thin_checkpoints(const PrefixIndex::Namespace& ns, Branch& b, int64_t at, bool made) {
  constexpr int64_t kBeginning = 4096;
  const int64_t apart = at <= kBeginning ? 512 : kBeginning;
  const bool stays = at == b.n_prompt() || at / apart > b.last_checkpoint.at / apart;
  b.last_checkpoint.move_on(*prefixes_, ns, b.tokens(), at, made && !stays);
}

// Prompts that were read for the store wait for it, without a slot.
void EngineLoop::store_prompts() {
  for (Job& job : jobs_) {
    if (!job.request().prefill || job.stores || job.over() || !job.first().generates()) continue;
    try {
      store_prompt(job);
    } catch (const std::exception& e) {
      job.fail(e, o_.now());
    }
  }
}

void EngineLoop::store_prompt(Job& job) {
  if (!shares({&job, &job.first()})) return job.finish(FinishReason::kLength, o_.now());
  const PrefixIndex::Namespace ns = namespace_of(job.request());
  prefixes_->renew(ns, job.request().prompt);
  prefixes_->store(job.id(), ns, job.request().prompt);
  job.stores = job.held = true;
  remember(job.first().slot, job, job.first());
  leave_slot(job.first());
}

void EngineLoop::tell_stored() {
  while (const std::optional<Storing::Stored> stored = prefixes_->next_stored()) {
    const auto job = std::ranges::find(jobs_, stored->id, &Job::id);
    if (job == jobs_.end()) continue;
    job->stored(stored->prefix);
    job->finish(FinishReason::kLength, o_.now());
    drop(job);
  }
}

// Pages are saved from the prefix cache.
void EngineLoop::save_slot(int64_t slot, const std::string& owner, KeptPromise<SlotImage> promise) {
  guarded("the pages of a conversation", [&] { leave_conversation(slot); });
  slots_.save(slot, owner, std::move(promise));
}

// Shares the pages of the conversation that ran last in a slot.
void EngineLoop::leave_conversation(int64_t slot) {
  if (!prefixes_ || slot < 0 || slot >= std::ssize(slots_.all())) return;
  const SlotRuns::Run& run = slots_.all()[static_cast<size_t>(slot)];
  const Past* const past = conversations_.past(run.conversation, run.tokens);
  if (!past) return;
  const int64_t n = run.ns.generated ? past->kv.length() : std::min(past->exact, past->kv.length());
  prefixes_->keep(run.ns, std::span(run.tokens).first(static_cast<size_t>(n)), past->kv);
}

// Keeps the pages of a request that is over: its prompt's, which are there, and its text's where it has them still.
void EngineLoop::leave_pages(Job& job) {
  Branch& b = job.first();
  if (!shares({&job, &b})) return;
  const PrefixIndex::Namespace ns = namespace_of(job.request());
  if (job.keeps_past) prefixes_->keep(ns, b.tokens(), b.kv);
  prefixes_->renew(ns, job.request().prompt);
  prefixes_->write_back(ns, job.request().prompt);
}

}  // namespace skald
