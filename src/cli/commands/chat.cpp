// skald chat: talk to a model.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/chat/chat_loop.h"
#include "cli/command.h"
#include "cli/flags/chat.h"
#include "cli/flags/common.h"
#include "cli/flags/drafts.h"
#include "cli/flags/grammar.h"
#include "cli/flags/prompt.h"
#include "cli/flags/ranks.h"
#include "cli/flags/sampling.h"
#include "cli/flags/sparq.h"
#include "cli/flags/stop.h"
#include "cli/flags/table_flags.h"
#include "cli/run/fit.h"
#include "cli/run/verbose_prompt.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "loading/model_name.h"
#include "text/chat/chat_request.h"
#include "tools/chat/tool_choice.h"

namespace skald {
namespace {

struct ChatArgs {
  ModelFlags model;
  ComputeFlags compute;
  SparqFlags sparq;
  SamplingFlags sampling;
  ChatFlags chat;
  PromptFlags prompt;
  StopFlags stop;
  GrammarFlags grammar;
  std::string load, color = "auto";
  int n_predict = -1;
  bool ignore_eos = false, single_turn = false, reuse_generated = true, perf = true, fold = false, no_history = false;
  bool verbose_prompt = false, render = false;
};

void check(const ChatArgs& o, const Flags& flags) {
  o.chat.check("chat", flags);
  if (flags.given("-p") && !o.prompt.file.empty()) throw UsageError("chat: want one of -p and -f");
  if (o.n_predict < -1) throw UsageError("chat: -n: want -1 (no limit) or more");
  check_drafts(flags, o.compute.options.draft);
}

// A conversation goes back by some tokens.
EngineOptions engine_options(const ChatArgs& o) {
  constexpr int64_t kRollback = 128;
  EngineOptions e = o.compute.with(o.model);
  e.cache.sparq = o.sparq.checked(o.compute);
  e.cache.rollback = kRollback;
  e.cache.share_prefixes = e.cache.slot_files = true;  // for /save and /load
  check_usage([&] { e.check(); });
  return e;
}

// Checkpoints need windows of their own; recurrent states are counted apart.
int64_t sequences_for(const EngineOptions& e, const Model& model) {
  constexpr int64_t kMost = 8;
  const std::vector<AttentionState> layers = attention_states(model.loaded()->states());
  const bool windows = std::ranges::any_of(layers, [](const AttentionState& l) { return l.window > 0; });
  return 1 + (windows ? std::min(e.cache.checkpoints.most, kMost) : 0);
}

// Without -c a chat has the model's context, if that is not more than most chats need.
int64_t context_for(const EngineOptions& e, const Model& model) {
  constexpr int64_t kUsual = 16384;
  return e.cache.n_ctx ? e.cache.n_ctx : std::min<int64_t>(kUsual, model.n_ctx_train());
}

ChatOptions chat_options(const ChatArgs& o, const Flags& flags, const Model& model) {
  ChatOptions out{.tools = {},
                  .documents = {},
                  .kwargs = {},
                  .sampling = o.sampling.with(model),
                  .max_tokens = o.n_predict,
                  .grammar = o.grammar.read("chat"),
                  .stop = o.stop.checked(o.prompt.escape),
                  .ignore_eos = o.ignore_eos,
                  .reuse_generated = o.reuse_generated};
  o.chat.fill("chat", flags, out);
  return out;
}

ScreenOptions screen_options(const ChatArgs& o) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = !terminal || isatty(STDERR_FILENO) == 0 || (no_color && *no_color);
  return {.terminal = terminal,
          .colors = o.color == "on" || (o.color == "auto" && !plain),
          .render = o.render && !(no_color && *no_color),
          .fold = o.fold,
          .reasoning = terminal};
}

// The first message: -p, -f, or all of a pipe.
std::optional<std::string> first_message(const ChatArgs& o, const Flags& flags) {
  const bool pipe = isatty(STDIN_FILENO) == 0;
  if (!flags.given("-p") && o.prompt.file.empty() && !pipe) return {};
  std::string text = flags.given("-p") ? o.prompt.text() : read_text(o.prompt.file.empty() ? "-" : o.prompt.file);
  if (!flags.given("-p") && text.ends_with('\n')) text.pop_back();
  if (text.empty()) throw UsageError("chat: the message is empty");
  return text;
}

// Weights are read once before the user waits for an answer.
void warm_up(Engine& engine) {
  engine.generate({.prompt = {0}, .max_tokens = 1, .sampling = {.temperature = 0}, .on_event = {}});
}

// By its file, as the user knows it, and by the name in the file.
std::string known_as(const ModelFlags& flags, const Model& model) {
  const std::string file = flags.given() ? name_of_path(flags.file()) : "";
  return file.empty() || file == model.name() ? model.name() : fmt::format("{} ({})", file, model.name());
}

void run(const ChatArgs& o, const Flags& flags) {
  check(o, flags);
  EngineOptions options = engine_options(o);
  o.sampling.checked();
  const std::optional<std::string> first = first_message(o, flags);
  const bool talks = isatty(STDIN_FILENO) != 0 && !o.single_turn;
  const Model model = o.model.load_writer(o.compute.options.draft.mtp());
  const ChatOptions chat = chat_options(o, flags, model);
  const Tokenizer& tokenizer = model.loaded()->tokenizer();
  ChatTemplate chat_template(o.chat.chat_template.source(&model.loaded()->meta(), has_tools(chat.tools)),
                             special_texts(tokenizer));
  const bool asked = options.cache.n_ctx != 0;
  options.cache.n_ctx = context_for(options, model);
  options.schedule.n_parallel = sequences_for(options, model);
  const auto shortened = shorten_context(options, model, asked);
  options.cache.total_keys = options.cache.n_ctx;
  Engine engine(model, options);
  tell(context_line(engine.n_ctx(), model.n_ctx_train(), asked, shortened));
  ChatSession session(model, engine, std::move(chat_template), chat);
  ChatScreen screen(screen_options(o));
  ChatLoop loop(model, session, screen, {.statistics = o.perf, .prompts = o.verbose_prompt});
  if (!o.load.empty()) loop.load(o.load);
  if (const auto system = o.chat.system_message(flags, o.prompt.escape)) session.set_system(*system);
  if (talks)
    catch_interrupts_again_and_again();
  else
    catch_interrupts();
  if (o.verbose_prompt) screen.note(sampling_lines(o.sampling, model, chat.sampling));
  if (talks) warm_up(engine);
  if (first && !loop.say(*first) && !talks) throw Error(Errc::kBadInput, "there is no answer");
  if (!talks) return;
  if (!first) screen.note(fmt::format("{}; /help lists commands, Ctrl-D ends", known_as(o.model, model)));
  LineInput input(o.no_history ? "" : default_history_file(), ChatLoop::complete);
  loop.talk(input);
}

Action declare_chat(Flags& flags) {
  auto o = std::make_shared<ChatArgs>();
  EngineOptions& options = o->compute.options;
  o->model.declare(flags);
  o->model.declare_name(flags);
  o->chat.chat_template.declare(flags);
  flags.group("Chat");
  o->prompt.declare(flags, "first message", "file with the first message, without the newline at its end; -: standard input",
                    /*special=*/false);
  o->chat.declare(flags);
  flags.add("--load", o->load, "go on with the messages of this file, as /save writes it", "FILE");
  flags.add("-st,--single-turn", o->single_turn, "end after the first answer");
  o->stop.declare(flags);
  flags.add("-n,--predict,--n-predict", o->n_predict, "most tokens of an answer; -1: until the model ends it");
  add_option(flags, "cache.n_ctx", options.cache.n_ctx, "context in tokens; 0: the model's, 16384 at most");
  options.draft.kind = "auto";
  declare_drafts(flags, options.draft);
  CheckpointOptions& checkpoints = options.cache.checkpoints;
  add_option(flags, "cache.checkpoints.most", checkpoints.most);
  add_option(flags, "cache.checkpoints.step", checkpoints.step);
  add_option(flags, "cache.checkpoints.mib", checkpoints.mib);
  flags.add("--reuse-generated,!--no-reuse-generated", o->reuse_generated,
            "go on from answers as they were generated, the default; without, they are read again as a part of the prompt");
  o->chat.declare_reasoning(flags);
  flags.add("--fold", o->fold, "show of the thinking that there is some");
  o->compute.declare(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  o->sampling.declare(flags);
  o->grammar.declare(flags);
  flags.add("--ignore-eos", o->ignore_eos, "draw no end token: the answer goes on until -n");
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  flags.group("Terminal");
  flags.add("--color", o->color, "whether the chat is coloured; NO_COLOR turns auto off", "auto|on|off");
  flags.add("--render", o->render, "show Markdown of answers as headings, lists, bold, italics and code; not with NO_COLOR");
  flags.add("--no-history", o->no_history, "neither read nor write the history of messages");
  declare_verbose_prompt(flags, o->verbose_prompt);
  flags.add("--perf,!--no-perf", o->perf, "say after each answer its time and tokens, the default");
  return on_ranks(o->model, o->compute, [o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_chat;
const Command command_chat{.name = "chat",
                           .summary = "Talk to a model",
                           .examples =
                               "  skald chat -m model.gguf\n"
                               "  skald chat -m model.gguf -sys \"Answer in one sentence.\" -c 32768 -ct small\n"
                               "  echo \"What is a monad?\" | skald chat -m model.gguf > answer.txt\n"
                               "  skald chat -m model.gguf -f question.txt --single-turn --temp 0\n"
                               "  skald chat -m model.gguf --tools tools.json --reasoning-budget 500\n",
                           .declare = declare_chat};

}  // namespace skald
