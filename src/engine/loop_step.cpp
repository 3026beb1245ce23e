// A step: its items, and its results.
#include <algorithm>
#include <exception>

#include "base/error.h"
#include "base/guarded.h"
#include "engine/loop.h"

namespace skald {
namespace {

// `to_borders`: steps of its prompt end at pages' borders. A text that is computed again forgets keys where it did before.
BranchLoad load_of(Branch& b, int64_t n_ctx, bool to_borders) {
  return {.tokens = std::min(b.until_stop(), n_ctx - b.kv.held()),
          .at_once = b.at_once(),
          .position = b.kv.length(),
          .to_borders = to_borders && !b.generates(),
          .need = [&b](int64_t tokens) { return b.kv.need(b.kv.length() + tokens); },
          .owned = [&b] { return b.kv.owned(); }};
}

StepItem item_of(const Job& job, Branch& b, int64_t tokens) {
  return {.kv = &b.kv,
          .tokens = b.pending().first(static_cast<size_t>(tokens)),
          .n_outputs = b.outputs(tokens),
          .decode = b.generates(),
          .pilot = b.pilot && b.generates() ? &*b.pilot : nullptr,
          .before = b.tokens().first(static_cast<size_t>(b.kv.length())),
          .adapters = job.request().adapters.get()};
}

// The row of the step's outputs that the next token is picked from: of a prompt the last one.
int64_t first_pick(const Branch& b, const StepItem& item, int64_t row) {
  return !item.decode && b.wants_prompt() ? row + item.n_outputs - 1 : row;
}

}  // namespace

void EngineLoop::plan(std::vector<Member>& in_step, std::vector<StepItem>& items) {
  std::vector<Member> all = running_members();
  for (const Member& m : all) catch_up(m);
  make_room_for(all);
  for (const Member& m : all) m.job->make_room(*m.branch);
  draft(all);
  std::vector<BranchLoad> loads;
  for (const Member& m : all) {
    Branch& b = *m.branch;
    loads.push_back(load_of(b, o_.limits.n_ctx, to_borders_));
    if (waits_for(m, std::span(all).first(loads.size() - 1))) loads.back().tokens = 0;
  }
  // Idle branches give their pages up first.
  for (const Member& m : idle_branches()) {
    loads.push_back({.owned = [&b = *m.branch] { return b.kv.owned(); }});
    all.push_back(m);
  }
  const StepPlan plan = schedule(loads, room(), o_.rows, prompt_limit(all));
  for (const size_t i : plan.preempted) preempt(*all[i].branch);
  KvRoom need;
  for (const StepShare& share : plan.shares) need += loads[share.branch].need(share.tokens);
  const auto measured = [&](const StepShare& share) { return all[share.branch].branch->is_measured_next(); };
  if (std::ranges::any_of(plan.shares, measured)) need += stepper_.kv().for_copies();
  make_room(need);
  for (const StepShare& share : plan.shares) {
    const Member& m = all[share.branch];
    m.job->started(o_.now());
    in_step.push_back(m);
    items.push_back(item_of(*m.job, *m.branch, share.tokens));
  }
}

// Guesses take no room from others, and end where the text must. Texts share the rows of a step evenly.
void EngineLoop::draft(std::span<const Member> members) {
  if (!o_.drafts) return;
  std::vector<Member> asked, others;
  for (const Member& m : members) {
    const bool may_guess = m.branch->generates() && m.branch->pending().size() == 1 && !m.job->searches();
    (may_guess ? asked : others).push_back(m);
  }
  const int64_t rows = asked.empty() ? 0 : o_.rows / std::ssize(asked);
  const auto most = [&](const Member& m) {
    const Branch& b = *m.branch;
    const int64_t of_page = b.pilot ? SparqPilot::rows_alike(b.kv.length()) : rows;
    const int64_t wanted = m.job->request().max_tokens;
    const int64_t of_text = wanted < 0 ? rows : wanted - std::ssize(b.text.tokens);
    return std::min({rows, of_page, of_text, o_.limits.n_ctx - b.kv.held(), o_.most_guesses + 1}) - 1;
  };
  const auto full = std::ranges::stable_partition(asked, [&](const Member& m) { return most(m) > 0; });
  others.insert(others.end(), full.begin(), full.end());
  asked.erase(full.begin(), full.end());
  std::vector<DraftQuestion> questions;
  for (const Member& m : asked) {
    Branch& b = *m.branch;
    if (!b.drafts) b.drafts = o_.drafts->begin(m.job->request());
    questions.push_back({b.drafts.get(), b.tokens(), most(m), &b.kv, &b.next()});
  }
  for (const Member& m : others) {
    Branch& b = *m.branch;
    if (!o_.drafts->reads_along() || m.job->searches()) continue;
    if (!b.drafts) b.drafts = o_.drafts->begin(m.job->request());
    questions.push_back({b.drafts.get(), b.tokens(), 0, &b.kv, &b.next()});
  }
  o_.drafts->guess(questions);
  for (size_t i = 0; i < asked.size(); ++i) {
    Branch& b = *asked[i].branch;
    SKALD_ASSERT(std::ssize(questions[i].guesses) <= questions[i].most);
    b.draft(questions[i].guesses);
    if (!room().covers(b.kv.need(b.kv.length() + std::ssize(b.pending())))) b.drop_drafts();
  }
}

// Before any branch has its token: those that fork then have seen the rows, too.
void EngineLoop::show_hidden(std::span<const Member> in_step, std::span<const StepItem> items) {
  if (!o_.drafts || !o_.drafts->reads_along()) return;
  const Logits hidden = stepper_.hidden();
  int64_t row = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t n = std::ssize(items[i].tokens);
    const Branch& b = *in_step[i].branch;
    if (b.drafts) b.drafts->see(b.kv.length() - n, hidden, row, n);
    row += n;
  }
}

// Branches that generate get the next token in time.
PromptLimit EngineLoop::prompt_limit(std::span<const Member> members) const {
  const auto generates = [](const Member& m) { return m.branch->has_slot() && m.branch->generates(); };
  if (o_.max_itl_seconds <= 0 || std::ranges::none_of(members, generates)) return {};
  constexpr double kShare = 0.9;  // the rest is for the work after a step
  return {.seconds = std::max(0.0, kShare * o_.max_itl_seconds - cost_.generating()),
          .cost = [this](int64_t position, int64_t tokens) { return cost_.seconds(PromptWork::of(position, tokens)); }};
}

// A step that fails is computed again, each branch by itself: a branch that fails alone ends with the error.
void EngineLoop::run(std::span<const Member> in_step, std::span<const StepItem> items) {
  std::vector<int64_t> ends;
  for (const StepItem& item : items) ends.push_back(item.kv->length() + std::ssize(item.tokens));
  if (compute(in_step, items) || items.size() == 1) return;
  for (size_t i = 0; i < in_step.size(); ++i) {
    try {
      run_alone(in_step[i], ends[i]);
    } catch (const std::exception& e) {
      in_step[i].job->fail(e, o_.now());
    }
  }
}

// Up to where the failed step was to end: a branch whose states the step left half done begins again before that.
void EngineLoop::run_alone(const Member& m, int64_t end) {
  Branch& b = *m.branch;
  const auto written = b.text.tokens.size();
  while (!b.done && b.kv.length() < end && b.text.tokens.size() == written) {
    const BranchLoad load = load_of(b, o_.limits.n_ctx, to_borders_);
    const StepPlan plan = schedule({&load, 1}, room(), std::min(o_.rows, end - b.kv.length()));
    if (plan.shares.empty()) return;
    make_room(load.need(plan.shares[0].tokens));
    const StepItem item = item_of(*m.job, b, plan.shares[0].tokens);
    if (!compute({&m, 1}, {&item, 1})) return;
  }
}

bool EngineLoop::compute(std::span<const Member> in_step, std::span<const StepItem> items) {
  try {
    const Clock::time_point begin = o_.now();
    const Logits logits = stepper_.run(items);
    show_hidden(in_step, items);
    count(in_step, items, seconds_between(begin, o_.now()));
    for (const Member& m : in_step)
      if (m.branch->tokens().size() == static_cast<size_t>(m.branch->n_prompt())) m.job->prompt_read();
    for (size_t i = 0; i < in_step.size(); ++i)
      guarded("what a prompt leaves for others", [&] {
        mark(in_step[i]);
        if (!items[i].decode) keep_pages(in_step[i]);
      });
    sample(in_step, items, logits);
    return true;
  } catch (const std::exception& e) {
    for (const Member& m : in_step) m.branch->recover();
    // A branch that has its step, and not the token of it, cannot go on.
    for (const Member& m : in_step)
      if (items.size() == 1 || (!m.branch->done && m.branch->pending().empty())) m.job->fail(e, o_.now());
    return false;
  }
}

void EngineLoop::count(std::span<const Member> in_step, std::span<const StepItem> items, double seconds) {
  StepReport report{.seconds = seconds};
  PromptWork prompts;
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t n = std::ssize(items[i].tokens);
    (items[i].decode ? report.generated_rows : report.prompt_rows) += n;
    if (!items[i].decode || n > 1) prompts += PromptWork::of(items[i].kv->length() - n, n);
    counts_.prompt_tokens += in_step[i].branch->note_read();
  }
  cost_.note(prompts, report.generated_rows > 0, seconds);
  if (o_.drafts && report.prompt_rows == 0) o_.drafts->took(report.generated_rows, seconds);
  last_step_seconds_ = seconds;
  if (o_.computed) o_.computed(report);
}

// Marks a place to which a conversation may come back.
void EngineLoop::mark(const Member& m) {
  const Branch& b = *m.branch;
  if (!m.job->conversation() || b.kv.length() > b.n_prompt() || !b.is_at_stop()) return;
  conversations_.mark(m.job->conversation(), b.kv, std::min(b.exact(), b.kv.length()),
                      b.tokens().first(static_cast<size_t>(b.kv.length())));
}

// A prompt whose logits are asked for gives a row for each of its tokens. Whether no token follows the step.
bool EngineLoop::reads_prompt_only(const Member& m, const StepItem& item, const Logits& logits, int64_t row) {
  Branch& b = *m.branch;
  if (item.decode || !b.wants_prompt()) return false;
  b.note_prompt(logits, row, item.n_outputs);
  if (b.kv.length() < std::ssize(b.tokens())) return true;  // the rest of it, or tokens generated before a pause
  if (m.job->request().max_tokens != 0) return false;
  m.job->finish(FinishReason::kLength, o_.now());
  return true;
}

// All branches pick at the same time; the results are told in order. Those of a beam search look at what they may pick.
void EngineLoop::sample(std::span<const Member> in_step, std::span<const StepItem> items, const Logits& logits) {
  struct Pick {
    Member member;
    int64_t row;
    std::vector<Branch::Picked> tokens = {};
    std::exception_ptr failure = nullptr;  // of the sampler: ends the job
  };
  std::vector<Pick> picks;
  int64_t row = 0;
  for (size_t i = 0; i < in_step.size(); row += items[i++].n_outputs) {
    const Member& m = in_step[i];
    try {
      if (!items[i].n_outputs || m.job->request().prefill || reads_prompt_only(m, items[i], logits, row)) continue;
      const bool splits = m.job->n() > std::ssize(m.job->branches());
      if (splits) m.job->split();
      for (Branch& branch : m.job->branches())
        if (&branch == m.branch || splits) picks.push_back({{m.job, &branch}, first_pick(*m.branch, items[i], row)});
    } catch (const std::exception& e) {
      m.job->fail(e, o_.now());
    }
  }
  const auto pick = [&](int64_t i) {
    Pick& p = picks[static_cast<size_t>(i)];
    try {
      if (p.member.job->searches())
        p.member.branch->look(logits, p.row, p.member.job->n_candidates());
      else
        p.tokens = p.member.branch->pick(logits, p.row);
    } catch (const std::exception&) {
      p.failure = std::current_exception();
    }
  };
  if (o_.share)
    o_.share(std::ssize(picks), pick);
  else
    for (int64_t i = 0; i < std::ssize(picks); ++i) pick(i);
  for (const Pick& p : picks) {
    if (p.member.job->over()) continue;
    try {
      if (p.failure) std::rethrow_exception(p.failure);
      for (const Branch::Picked& picked : p.tokens) {
        ++counts_.generated_tokens;
        if (!p.member.job->next(*p.member.branch, picked, o_.now())) break;
      }
      if (!p.member.branch->done && !p.member.branch->waits()) p.member.branch->forget_wrong_drafts();
    } catch (const std::exception& e) {
      p.member.job->fail(e, o_.now());
    }
  }
}

}  // namespace skald
