// skald batch: answers requests of a file, as the server would.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/command.h"
#include "cli/flags/serve.h"
#include "cli/flags/sizes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "serve/batch/batch.h"
#include "serve/batch/batch_join.h"

namespace skald {
namespace {

struct BatchArgs {
  ServeFlags serve{"batch"};
  std::string in, out, errors, max_body = "16M", shard;
  int64_t join = 0;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

double rate(int64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

// How far a batch is, for a user at the terminal.
class Watching {
 public:
  void show(const serve::BatchProgress& p) {
    if (begun_ == Clock::time_point{}) {
      begun_ = Clock::now();
      meter_.begin(p.done);
    }
    const std::string speed = fmt::format("{:.1f} tokens/s", rate(p.generated_tokens, seconds_since(begun_)));
    if (p.lines)
      meter_(p.done, p.lines, speed);
    else
      show_progress(fmt::format("batch: {} requests, {}", p.done, speed));
  }
  double seconds() const { return begun_ == Clock::time_point{} ? 0 : seconds_since(begun_); }
  void end() {
    meter_.end();
    end_progress();
  }

 private:
  Clock::time_point begun_ = {};
  Progress meter_{"batch", ProgressUnit{"requests"}};
};

std::string requests(int64_t n) { return fmt::format("{} {}", n, n == 1 ? "request" : "requests"); }

void tell_end(const serve::BatchProgress& p, double seconds) {
  std::string line = requests(p.done - p.failed) + " answered";
  if (p.failed) line += fmt::format(", {} failed", p.failed);
  if (p.skipped) line += fmt::format(", {} of them before", p.skipped);
  say("{}; {} prompt tokens ({} from the cache), {} generated in {:.1f} s, {:.1f} tokens/s\n", line, p.prompt_tokens,
      p.cached_tokens, p.generated_tokens, seconds, rate(p.generated_tokens, seconds));
}

std::string failures_text(const std::string& out, const std::string& errors, int64_t failed) {
  const std::string where = !errors.empty() ? errors : out == "-" ? "the answers" : out;
  return fmt::format("batch: {} failed; see {}", requests(failed), where);
}

void join(const BatchArgs& o) {
  if (!o.shard.empty()) throw UsageError("batch: --join does not go with --shard");
  if (o.join < 1 || o.join > serve::BatchShard::kMost)
    throw UsageError(fmt::format("batch: --join: want 1 to {} shards", serve::BatchShard::kMost));
  if (o.in == "-" || o.out == "-") throw UsageError("batch: --join: want files as input and output");
  check_usage([&] { serve::check_batch_files({.in = o.in, .out = o.out, .errors = o.errors}); });
  const serve::BatchJoined joined = serve::join_batch({.in = o.in,
                                                       .out = o.out,
                                                       .errors = o.errors,
                                                       .shards = o.join,
                                                       .longest_line = parse_size("--max-body", o.max_body)});
  say("{} answered, {} failed\n", requests(joined.answered), joined.failed);
  if (joined.failed) throw Error(Errc::kBadInput, failures_text(o.out, o.errors, joined.failed));
}

// Of a shard, its own files.
serve::BatchOptions batch_options(const BatchArgs& o, const Flags& flags) {
  serve::BatchOptions out{.serve = o.serve.checked(flags), .in = o.in, .out = o.out, .errors = o.errors};
  out.serve.http.max_body = parse_size("--max-body", o.max_body);
  if (o.shard.empty()) return out;
  out.shard = check_usage([&] { return doing("batch: --shard", [&] { return serve::read_batch_shard(o.shard); }); });
  if (o.in == "-") throw UsageError("batch: --shard: want a file as input: its lines are counted first");
  if (o.out != "-") out.out = out.shard->file(o.out);
  if (!o.errors.empty()) out.errors = out.shard->file(o.errors);
  return out;
}

void run(const BatchArgs& o, const Flags& flags) {
  if (o.errors == "-") throw UsageError("batch: --errors: want a file");
  if (flags.given("--join")) return join(o);
  serve::BatchOptions options = batch_options(o, flags);
  check_usage([&] { serve::check_batch_files(options); });
  const std::string out = options.out, errors = options.errors;
  Watching watching;
  options.stop = interrupted;
  options.on_progress = [&](const serve::BatchProgress& p) { watching.show(p); };
  catch_interrupts();
  const serve::BatchProgress done = serve::run_batch(std::move(options));
  watching.end();
  tell_end(done, watching.seconds());
  if (done.interrupted) throw Interrupted{};
  if (done.failed) throw Error(Errc::kBadInput, failures_text(out, errors, done.failed));
}

Action declare_batch(Flags& flags) {
  auto o = std::make_shared<BatchArgs>();
  flags.add_required("in", o->in, "requests, one a line in OpenAI's batch form; - for standard input");
  flags.add_required(
      "out", o->out,
      "answers, one a line, added as they come; requests that it has answers to are not run again; - for standard output");
  flags.add("--errors", o->errors, "where answers of requests that failed go instead", "FILE");
  flags.add("--max-body", o->max_body, "longest line of the input", "BYTES");
  flags.group("Several machines");
  flags.add(
      "--shard", o->shard,
      "answer one of N equal parts of the requests, 0/N to N-1/N; answers go to a file beside OUT: answers.0-of-8.jsonl",
      "I/N");
  flags.add("--join", o->join, "put the answers of N shards into OUT, in the order of IN, where each request has one", "N");
  o->serve.declare_local(flags);
  return o->serve.on_ranks([o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_batch;
const Command command_batch{
    .name = "batch",
    .summary = "Answer the requests of a file (OpenAI's batch form), without a server",
    .examples =
        "  skald batch requests.jsonl answers.jsonl -m model.gguf\n"
        "  skald batch requests.jsonl answers.jsonl -m model.gguf -np 32 -c 65536 --errors failed.jsonl\n"
        "  skald batch requests.jsonl answers.jsonl -m model.gguf --shard 0/2 && "
        "skald batch requests.jsonl answers.jsonl -m model.gguf --shard 1/2 && "
        "skald batch requests.jsonl answers.jsonl --join 2\n"
        "  head -100 requests.jsonl | skald batch - - -m model.gguf > answers.jsonl\n",
    .declare = declare_batch};

}  // namespace skald
