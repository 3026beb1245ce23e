// skald eval: how well a model answers from long prompts, dense and sparse.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/ranks.h"
#include "cli/flags/template.h"
#include "cli/flags/values.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "text/chat/chat_json.h"
#include "tools/eval/evaluate.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct EvalArgs {
  ModelFlags model;
  ComputeFlags compute;
  ReportFlags report{
      .plot = "right answers (of perplexity alone: divergence) against length, a line for each kind of attention and cache"};
  TemplateFlags chat_template;
  std::string system;
  bool chat = false;
  int64_t n_predict = 256;
  std::string suites, attention = "dense,sparq:4,sparq:8", caches, file, save;
  std::vector<int64_t> lengths = {1024, 2048, 4096, 8192};
  int64_t cases = 20;
  uint64_t seed = 1;
};

// In the order in which they are given; a name that comes twice counts once.
template <class T, class Make>
std::vector<T> each(const char* flag, const std::string& list, Make make) {
  std::vector<T> out;
  std::vector<std::string> seen;
  for (const std::string& name : comma_list(flag, list)) {
    if (std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    out.push_back(make(name));
  }
  return out;
}

// Suites that can be asked: those that predict ask nothing in a chat.
std::string suite_names(bool chat) {
  std::string out;
  for (const EvalSuite* suite : eval_suites())
    if (!chat || !suite->predicts) out += fmt::format("{}{}", out.empty() ? "" : ",", suite->name);
  return out;
}

void check_chat(const EvalArgs& o, const Flags& flags) {
  o.chat_template.check("eval");
  if (o.n_predict < 1 || o.n_predict > 1 << 20) throw UsageError("eval: --answer-tokens: want 1 to 1048576 tokens");
  if (o.chat) return;
  for (const char* flag : {"-sys", "--answer-tokens", "--chat-template", "--chat-template-file", "--chat-template-kwargs"})
    if (flags.given(flag)) tell(fmt::format("eval: {} does nothing without --chat", flag));
}

ChatFormOptions chat_form(const EvalArgs& o, const Model& model) {
  ChatFormOptions out{.chat_template = o.chat_template.source(&model.loaded()->meta(), /*with_tools=*/false),
                      .system = o.system,
                      .kwargs = nlohmann::ordered_json::object(),
                      .n_predict = o.n_predict};
  if (o.chat_template.kwargs.empty()) return out;
  out.kwargs = parse_chat_json(o.chat_template.kwargs, "--chat-template-kwargs");
  if (!out.kwargs.is_object()) throw UsageError("eval: --chat-template-kwargs: want a JSON object");
  return out;
}

EvalOptions options_of(const EvalArgs& o) {
  EvalOptions out{.compute = o.compute.checked(o.model), .cases = o.cases, .seed = o.seed, .save = o.save};
  if (o.cases < 1) throw UsageError("eval: --cases (-n): want at least 1");
  out.lengths = o.lengths;
  if (std::ranges::any_of(o.lengths, [](int64_t n) { return n < 128 || n > 1 << 24; }))
    throw UsageError("eval: --lengths: want 128 to 16777216 tokens");
  check_usage([&] {
    doing("--suite", [&] {
      out.suites = each<const EvalSuite*>("--suite", o.suites.empty() ? suite_names(o.chat) : o.suites,
                                          [](const std::string& name) { return &find_eval_suite(name); });
    });
    doing("--attn", [&] { out.methods = each<EvalMethod>("--attn", o.attention, EvalMethod::named); });
    const CacheOptions& cache = out.compute.cache;
    const std::string usual = cache.type_k == cache.type_v ? cache.type_k : cache.type_k + "/" + cache.type_v;
    out.caches = each<EvalCache>("--cache", o.caches.empty() ? usual : o.caches, EvalCache::named);
    for (const EvalCache& c : out.caches) {
      EngineOptions engine = out.compute;
      engine.cache.type_k = c.k_type;
      engine.cache.type_v = c.v_type;
      doing("--cache", [&] { engine.check(); });
    }
  });
  if (!o.file.empty() && std::ranges::none_of(out.suites, &EvalSuite::predicts))
    throw UsageError("eval: --file (-f) goes with the suite perplexity");
  return out;
}

void run(const EvalArgs& o, const Flags& flags) {
  o.report.check("eval");
  check_chat(o, flags);
  EvalOptions options = options_of(o);
  if (!o.save.empty()) check_usage([&] { check_output(o.save, {o.model.file(), o.file}); });
  if (!o.file.empty()) options.text = read_text(o.file);
  const Model model = o.model.load_writer();
  if (o.chat) options.chat = chat_form(o, model);
  EvalResult result;
  const bool done = unless_interrupted([&](const std::function<void()>& check) {
    Progress progress("asking", kInAnswers);
    options.on_answer = [&](const EvalProgress& p) {
      check();
      progress(p.done, p.total, p.what);
    };
    result = evaluate(*model.loaded(), options);
  });
  if (!done) return;
  o.report.print({.md = [&] { return eval_markdown(result); },
                  .json = [&] { return eval_json(result); },
                  .csv = [&] { return eval_csv(result); },
                  .svg = [&] { return eval_svg(result); }});
}

Action declare_eval(Flags& flags) {
  auto o = std::make_shared<EvalArgs>();
  o->model.declare(flags);
  flags.group("Tasks");
  flags.add("--suite,--suites", o->suites,
            ("kinds of tasks, made from the seed with the model's own words. Default: " + suite_names(false)).c_str(),
            "NAME,...");
  flags.add("-f,--file", o->file,
            "text for perplexity, which predicts 64 tokens after stretches of it; else made-up facts that come again",
            "FILE");
  flags.add("--lengths", o->lengths, "tokens of a prompt, as 4096, 4k or 1k..32k");
  flags.add("--attn,--attention", o->attention,
            "how answers are decoded: dense; sparq:R, pages:R, reading 1/R; auto, auto:NATS: as --sparq-loss does",
            "KIND,...");
  flags.add("--cache", o->caches, "types of cached keys and values: f16, q8_0/q4_0, small; else those of -ctk and -ctv",
            "TYPE,...");
  flags.add("-n,--cases", o->cases, "prompts of each kind and length");
  flags.add("-s,--seed", o->seed, "seed from which prompts are drawn");
  flags.add("--chat", o->chat,
            "ask as a user of a chat does, by the model's chat template; thinking does not count as the answer");
  flags.add("-sys,--system-prompt", o->system, "with --chat: system message");
  flags.add("--answer-tokens", o->n_predict, "with --chat: most tokens of an answer, thinking included");
  flags.add("--save", o->save, "keep answers in this file; the same command goes on from there", "FILE");
  o->chat_template.declare(flags);
  o->compute.declare(flags);
  o->model.declare_calibration(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  flags.group("Output");
  o->report.declare(flags);
  return on_ranks(o->model, o->compute, [o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_eval;
const Command command_eval{
    .name = "eval",
    .summary = "Measure how well a model answers from long prompts and predicts long texts, dense and sparse",
    .examples =
        "  skald eval -m model.gguf\n"
        "  skald eval -m model.gguf --suite needle,copy --lengths 1k..32k --attn dense,sparq:8 -n 50\n"
        "  skald eval -m model.gguf --suite perplexity -f book.txt --lengths 4k,16k\n"
        "  skald eval -m model.gguf --cache f16,q8_0/q4_0 --attn dense --save answers.jsonl -o json\n"
        "  skald eval -m model.gguf --chat --suite needle,multikey -sys \"Answer shortly.\"\n"
        "  skald eval -m model.gguf --lengths 1k..16k -o svg > accuracy.svg\n",
    .declare = declare_eval};

}  // namespace skald
