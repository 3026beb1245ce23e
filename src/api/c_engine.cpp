// The C API: engines, jobs and results.
#include <chrono>

#include "api/c_objects.h"
#include "api/c_request.h"
#include "api/c_support.h"

namespace skald::c_api {
namespace {

// Throws the error that ended it, if one did.
skald_result* result_of(Result result) {
  if (result.finish == FinishReason::kError) throw Error(result.code.value_or(Errc::kInternal), result.error);
  return new skald_result(std::move(result));
}

bool runs(skald_job& job) {
  std::future<Result>& result = job.submission.result;
  return result.valid() && result.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

}  // namespace
}  // namespace skald::c_api

using namespace skald;         // NOLINT(google-build-using-namespace): the functions of C are in no namespace
using namespace skald::c_api;  // NOLINT(google-build-using-namespace)

skald_result::skald_result(Result of) : result(std::move(of)) {
  for (size_t i = 0; i <= result.others.size(); ++i) {
    top.emplace_back();
    for (const auto& place : choice(i).top_log_probs) top.back().push_back(log_probs_of(place));
  }
}

const Choice& skald_result::choice(size_t i) const {
  if (i > result.others.size()) fail(Errc::kBadInput, "i: there is no text {} of {}", i, result.others.size() + 1);
  return i == 0 ? result : result.others[i - 1];
}

skald_status skald_engine_new(const skald_model* model, const skald_engine_options* options, skald_engine** engine,
                              skald_error* error) {
  return guarded(error, [&] {
    const EngineOptions how = options ? engine_options(*options) : EngineOptions();
    wanted(engine, "engine") = new skald_engine(wanted(model, "model").model, how);
  });
}

void skald_engine_free(skald_engine* engine) { delete engine; }
int64_t skald_engine_n_ctx(const skald_engine* engine) { return engine->engine.n_ctx(); }
void skald_engine_forget(skald_engine* engine, int64_t conversation) { engine->engine.forget(conversation); }

skald_status skald_submit(skald_engine* engine, const skald_request* request, skald_job** job, skald_error* error) {
  return guarded(error, [&] {
    skald_engine& by = wanted(engine, "engine");
    skald_job*& out = wanted(job, "job");
    Request what = engine_request(wanted(request, "request"), by.model);
    out = new skald_job{by.engine, by.engine.submit(std::move(what))};
  });
}

void skald_job_cancel(skald_job* job) { job->engine.cancel(job->submission.id); }
bool skald_job_done(skald_job* job) { return !runs(*job); }

skald_status skald_job_wait(skald_job* job, skald_result** result, skald_error* error) {
  return guarded(error, [&] {
    skald_result*& out = wanted(result, "result");
    std::future<Result>& future = wanted(job, "job").submission.result;
    if (!future.valid()) fail(Errc::kBadInput, "job: its result was given out already");
    out = result_of(future.get());
  });
}

void skald_job_free(skald_job* job) {
  if (!job) return;
  if (runs(*job)) {
    job->engine.cancel(job->submission.id);
    job->submission.result.wait();
  }
  delete job;
}

skald_status skald_generate(skald_engine* engine, const skald_request* request, skald_result** result, skald_error* error) {
  return guarded(error, [&] {
    skald_engine& by = wanted(engine, "engine");
    skald_result*& out = wanted(result, "result");
    out = result_of(by.engine.generate(engine_request(wanted(request, "request"), by.model)));
  });
}

size_t skald_result_n_choices(const skald_result* result) { return 1 + result->result.others.size(); }

skald_status skald_result_choice(const skald_result* result, size_t i, skald_choice* choice, skald_error* error) {
  return guarded(error, [&] {
    const Choice& of = wanted(result, "result").choice(i);
    wanted(choice, "choice") = {.text = of.text.c_str(),
                                .text_size = of.text.size(),
                                .tokens = of.tokens.data(),
                                .n_tokens = of.tokens.size(),
                                .finish = finish_of(of.finish),
                                .stop_text = of.stop_text.empty() ? nullptr : of.stop_text.c_str(),
                                .end_token = of.end_token,
                                .log_probs = of.log_probs.empty() ? nullptr : of.log_probs.data(),
                                .log_prob = of.log_prob,
                                .score = of.score};
  });
}

skald_status skald_result_top(const skald_result* result, size_t i, size_t place, const skald_token_log_prob** top,
                              size_t* n_top, skald_error* error) {
  return guarded(error, [&] {
    wanted(result, "result").choice(i);
    const auto& places = result->top[i];
    if (place >= places.size()) fail(Errc::kBadInput, "place: {} of {} with log-probabilities", place, places.size());
    wanted(top, "top") = places[place].data();
    wanted(n_top, "n_top") = places[place].size();
  });
}

uint64_t skald_result_seed(const skald_result* result) { return result->result.seed; }

skald_timing skald_result_timing(const skald_result* result) {
  const Timing& t = result->result.timing;
  return {.n_prompt = t.n_prompt,
          .n_generated = t.n_generated,
          .n_cached = t.n_cached,
          .n_drafted = t.drafts.guessed,
          .n_accepted = t.drafts.right,
          .prompt_seconds = t.prompt_seconds,
          .generate_seconds = t.generate_seconds};
}

void skald_result_free(skald_result* result) { delete result; }
