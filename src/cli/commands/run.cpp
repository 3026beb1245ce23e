// skald run: continues a prompt; the text on stdout, timings on stderr.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <latch>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/flags/drafts.h"
#include "cli/flags/ranks.h"
#include "cli/flags/table_flags.h"
#include "cli/run/chat.h"
#include "cli/run/fit.h"
#include "cli/run/options.h"
#include "cli/run/report.h"
#include "cli/run/verbose_prompt.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "tools/report/finish_word.h"
#include "tools/report/timings.h"

namespace skald {

namespace {

std::vector<TokenId> prompt_tokens(const RunOptions& o, const Model& model, const std::string& text) {
  std::vector<TokenId> ids = o.prompt_ids.empty()
                                 ? model.loaded()->tokenizer().encode(text, {.parse_special = o.prompt.parse_special})
                                 : parse_ids(o.prompt_ids);
  if (ids.empty())
    throw UsageError(o.prompt_ids.empty() ? "the prompt is empty and this model has no BOS token to begin with"
                                          : "run: --prompt-ids: no token ids");
  if (o.prompt_ids.empty()) warn_of_two_bos(model.loaded()->tokenizer(), ids);
  return ids;
}

void write_out(std::string_view text) {
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string text_json(const Result& result) {
  const nlohmann::ordered_json out = {{"content", result.text},
                                      {"ids", result.tokens},
                                      {"finish_reason", finish_word(result.finish)},
                                      {"timings", timings_json(result.timing)}};
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A prompt that does not fit at all is the engine's to refuse.
void check_keep(const Request& request, const Engine& engine, const EngineOptions& options) {
  const int64_t kept = request.n_kept();
  if (options.schedule.context_shift && kept > engine.max_kept() &&
      static_cast<int64_t>(request.prompt.size()) <= engine.n_ctx())
    throw UsageError(
        fmt::format("run: --keep: {} tokens of the prompt leave nothing to shift in a context of {}", kept, engine.n_ctx()));
}

void warn_of_context(const EngineOptions& e, const Model& model) {
  if (e.cache.n_ctx > model.loaded()->n_ctx_scaled())
    log(LogLevel::kWarn, "-c {}: the model was made for contexts of {} tokens; beyond, texts lose their sense",
        e.cache.n_ctx, model.n_ctx_train());
}

void run(const RunOptions& o, const Flags& flags) {
  if (asks_for_chat(o, flags)) return run_chat(o, flags);
  const int prompts = flags.given("-p") + !o.prompt.file.empty() + !o.prompt_ids.empty();
  if (prompts == 0 && o.model.given())
    throw UsageError("run: want a prompt: -p, -f or --prompt-ids; skald chat talks to the model, message by message");
  if (prompts != 1) throw UsageError("run: want exactly one of -p, -f and --prompt-ids");
  if (o.n_predict < -1) throw UsageError("run: -n: want -1 (no limit) or more");
  if (o.keep < -1) throw UsageError("run: --keep: want -1 (the whole prompt) or more");
  EngineOptions options = engine_options(o, flags);
  check_drafts(flags, options.draft);
  o.beams.check(flags, o.sampling);
  Request request{.prompt = {},
                  .max_tokens = o.n_predict,
                  .keep = o.keep,
                  .ignore_eos = o.ignore_eos,
                  .stop = o.stop.checked(o.prompt.escape),
                  .sampling = o.sampling.checked(),
                  .grammar = o.grammar.read("run"),
                  .on_event = {}};
  o.beams.fill(request);
  const Model model = o.model.load_writer(options.draft.mtp());
  request.sampling = o.sampling.with(model);
  const std::string text = o.prompt_ids.empty() ? o.prompt.said() : "";
  request.prompt = prompt_tokens(o, model, text);
  if (o.verbose_prompt)
    say("{}{}", prompt_lines(model, request.prompt),
        o.beams.on() ? o.beams.line() : sampling_lines(o.sampling, model, request.sampling));
  warn_of_context(options, model);
  const bool asked = options.cache.n_ctx != 0;
  options.cache.n_ctx = context_for(options, std::ssize(request.prompt), request.max_tokens, model);
  o.beams.make_room(options, std::ssize(request.prompt));
  fit_context(options, model, asked);
  Engine engine(model, options);
  check_keep(request, engine, options);
  if (o.warmup)
    engine.generate({.prompt = {request.prompt[0]}, .max_tokens = 1, .sampling = {.temperature = 0}, .on_event = {}});

  catch_interrupts();
  std::latch prompt_shown(1);
  Progress reading("reading the prompt", kInTokens);
  request.on_prompt = [&, n = std::ssize(request.prompt)](int64_t done) { reading(done, n); };
  const bool json = o.output == "json", lines = o.beams.n_best > 1;
  std::string unshown = o.print_ids || json || lines || !o.display_prompt ? "" : text;
  request.on_event = [&, first = true](const Event& e) mutable {
    prompt_shown.wait();
    write_out(std::exchange(unshown, {}));
    if (json || o.beams.on()) return;
    if (!o.print_ids) return write_out(e.text);
    if (e.token < 0) return;
    write_out(fmt::format("{}{}", first ? "" : " ", e.token));
    first = false;
  };
  Submission submission = engine.submit(std::move(request));
  // On one terminal with it, the line of progress would stand in the prompt, which waits until it is read.
  if (!shows_progress() || !isatty(STDOUT_FILENO)) write_out(std::exchange(unshown, {}));
  prompt_shown.count_down();
  const Result result = engine.wait(std::move(submission), stop_wanted);
  if (o.beams.on() && result.finish != FinishReason::kError)
    write_out(json ? beams_json(result) : beams_text(result, {.ids = o.print_ids, .scores = lines}));
  else
    write_out(json ? text_json(result) : "\n");
  print_run_report(result, model, engine, {.perf = o.perf, .kv = o.kv_report});
  if (result.finish == FinishReason::kError) throw Error(Errc::kDevice, result.error);
}

Action declare_run(Flags& flags) {
  auto o = std::make_shared<RunOptions>();
  EngineOptions& options = o->compute.options;
  o->model.declare(flags);
  o->model.declare_name(flags);
  flags.group("Text");
  o->prompt.declare(flags, "text to continue",
                    "file with the text to continue, without the newline at its end; -: standard input");
  flags.add("--prompt-ids", o->prompt_ids, "token ids to continue, instead of a text", "ID,...");
  o->stop.declare(flags);
  flags.add("-n,--predict,--n-predict", o->n_predict, "most tokens to generate; -1: until the model ends the text");
  add_option(flags, "cache.n_ctx", options.cache.n_ctx,
             "context in tokens; 0: the model's training context, or without end with --static");
  add_option(flags, "schedule.context_shift", options.schedule.context_shift);
  flags.add("--keep", o->keep, "tokens of the prompt that --context-shift keeps; -1: all");
  add_option(flags, "cache.swa_sinks", options.cache.swa_sinks);
  add_option(flags, "schedule.n_batch", options.schedule.n_batch);
  declare_drafts(flags, options.draft);
  o->beams.declare(flags);
  flags.group("Chat");
  flags.add("--messages", o->messages,
            "answer this chat: JSON file with a list of messages, or with a request of the chat API; -: standard input",
            "FILE");
  o->chat.declare(flags);
  o->chat.chat_template.declare(flags);
  o->chat.declare_reasoning(flags);
  o->compute.declare(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  o->static_shapes.declare(flags);
  o->sampling.declare(flags);
  o->grammar.declare(flags);
  flags.add("--ignore-eos", o->ignore_eos, "draw no end token: the text goes on until -n");
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  flags.group("Output");
  flags.add("-o,--output", o->output,
            "text, or json: the chat API's message, with content, reasoning and tool calls; after --prompt-ids, the text, "
            "its ids and times; with --beams, all texts with their scores",
            "text|json");
  flags.add("--print-ids", o->print_ids, "print the generated token ids instead of text");
  flags.add("--display-prompt,!--no-display-prompt", o->display_prompt,
            "print the prompt before its continuation, the default; --no-display-prompt: the generated text only");
  declare_verbose_prompt(flags, o->verbose_prompt);
  flags.add("--perf,!--no-perf", o->perf, "say at the end how much time and memory it took, the default");
  flags.add("--kv-report", o->kv_report,
            "say at the end how many bytes each group of layers holds in the KV cache, and when it is decoded sparsely");
  flags.add("--warmup,!--no-warmup", o->warmup, "compute an untimed token first, the default");
  return on_ranks(o->model, o->compute, [o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_run;
const Command command_run{
    .name = "run",
    .summary = "Continue a prompt",
    .examples =
        "  skald run -p \"Once upon a time\"\n"
        "  skald run -m model.gguf -f prompt.txt -n 64 --temp 0.7 -s 1\n"
        "  skald run -p \"Once upon a time\" -r \" park\" -r \"\\n\\n\"\n"
        "  skald run -m model.gguf -f prompt.txt -n 100000 -c 4096 --context-shift --keep -1\n"
        "  skald run -m model.gguf -f prompt.txt -ctk q8_0 -ctv q4_0 --kv-report\n"
        "  skald run -m model.gguf -f prompt.txt -t 8 -tb 16 --cpu-range 0-15 --mlock\n"
        "  skald run -p \"Once upon a time\" -n 500 --static 128 --kv-reserve 1.5 --kv-bits 8\n"
        "  skald run -m model.gguf --prompt-ids 1,5,9 --temp 0 -n 32 --print-ids\n"
        "  skald run -p \"Once upon a time\" -n 16 --beams 4 --n-best 3 --length-penalty 0.5\n"
        "  skald run -m model.gguf -sys \"Answer in one word.\" -p \"What is green?\" --temp 0\n"
        "  skald run -m model.gguf --messages chat.json --tools tools.json --tool-choice required -o json\n",
    .declare = declare_run};

}  // namespace skald
