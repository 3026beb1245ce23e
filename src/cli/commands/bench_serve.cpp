// skald bench serve: how fast a server answers under load.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/values.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "serve/load/load.h"

namespace skald {
namespace {

struct BenchServeArgs {
  serve::LoadOptions load;
  ReportFlags report{.plot = "tokens/s and latency against load"};
  std::string url = "http://127.0.0.1:8080", endpoint = "chat", rates, goodput, file;
  std::vector<int64_t> clients = {1, 4, 16};
  float burstiness = 1, duration = 0, timeout = 600, temperature = 0;
  bool insecure = false;
};

void want(bool good, const char* flag, const char* what) {
  if (!good) throw UsageError(fmt::format("bench serve: {}: want {}", flag, what));
}

std::vector<double> rates_of(const std::string& text) {
  std::vector<double> out;
  if (text.empty()) return out;
  for (const std::string& item : comma_list("--rate", text)) {
    out.push_back(item == "inf" ? HUGE_VAL : double{number("--rate", item)});
    want(out.back() > 0, "--rate", "requests a second, more than 0, or inf");
  }
  return out;
}

void check(const BenchServeArgs& o, const serve::LoadOptions& load) {
  want(o.endpoint == "chat" || o.endpoint == "completions", "--endpoint", "chat or completions");
  for (const int64_t n : load.clients) want(n >= 1 && n <= 65536, "--concurrency", "1 to 65536 clients");
  want(load.prefix_bytes >= 0, "--prefix-bytes", "0 (none) or more bytes");
  want(load.burstiness > 0 && std::isfinite(load.burstiness), "--burstiness", "a number above 0");
  want(load.requests >= 0, "--requests", "0 or more");
  want(load.warmup >= 0, "--warmup", "0 or more");
  want(load.duration >= 0 && std::isfinite(load.duration), "--duration", "seconds, 0 or more");
  want(load.client.timeout > 0 && std::isfinite(load.client.timeout), "--timeout", "seconds, more than 0");
  want(load.prompts.temperature >= 0 && load.prompts.temperature <= 100, "--temp", "0 to 100");
  want(load.prompts.prompt_tokens >= 1, "-p", "1 or more tokens");
  want(load.prompts.output_tokens >= 1, "-n", "1 or more tokens");
  want(load.prompts.shared_tokens >= 0 && load.prompts.shared_tokens < load.prompts.prompt_tokens, "--shared-prefix",
       "0 or more tokens, and fewer than -p");
  for (const float p : load.percentiles) want(p >= 0 && p <= 100, "--percentiles", "numbers from 0 to 100");
  for (const double rate : load.rates)
    want(!std::isinf(rate) || load.duration == 0 || load.requests > 0, "--duration",
         "--requests with it, where --rate is inf");
}

serve::LoadOptions options_of(const BenchServeArgs& o, bool clients_given, bool lengths_given) {
  serve::LoadOptions out = o.load;
  check_usage([&] { doing("bench serve: --url", [&] { out.client.target = serve::parse_load_target(o.url); }); });
  check_usage([&] { doing("bench serve: --goodput", [&] { out.goals = serve::parse_goals(o.goodput); }); });
  out.client.timeout = double{o.timeout};
  out.client.verify = !o.insecure;
  out.rates = rates_of(o.rates);
  if (clients_given && !out.rates.empty()) throw UsageError("bench serve: want one of --concurrency and --rate");
  if (out.rates.empty()) out.clients = o.clients;
  out.burstiness = double{o.burstiness};
  out.duration = double{o.duration};
  out.prompts.temperature = double{o.temperature};
  out.prompts.chat = o.endpoint == "chat";
  check(o, out);
  if (o.file.empty()) return out;
  if (lengths_given) throw UsageError("bench serve: -f has prompts of its own: without -p and --shared-prefix");
  out.prompts.read(o.file);
  return out;
}

void run(const BenchServeArgs& o, const Flags& flags) {
  o.report.check("bench serve");
  serve::LoadOptions load =
      options_of(o, flags.given("--concurrency"), flags.given("--n-prompt") || flags.given("--shared-prefix"));
  load.stop = interrupted;
  load.on_progress = [](const serve::LoadRow& row, int64_t done, int64_t total) {
    show_progress(total ? fmt::format("{}: {} of {} requests", row.name(), done, total)
                        : fmt::format("{}: {} requests", row.name(), done));
  };
  catch_interrupts();
  const serve::LoadResult result = serve::run_load(std::move(load));
  end_progress();
  if (!result.rows.empty())
    o.report.print({.md = [&] { return load_markdown(result); },
                    .json = [&] { return load_json(result); },
                    .csv = [&] { return load_csv(result); },
                    .svg = [&] { return load_svg(result); }});
  if (result.interrupted) throw Interrupted{};
  if (const int64_t failed = result.failed())
    throw Error(Errc::kDevice, fmt::format("bench serve: {} {} failed", failed, failed == 1 ? "request" : "requests"));
}

void declare_load(BenchServeArgs& o, Flags& flags) {
  flags.group("Load");
  flags.add("--concurrency,--max-concurrency", o.clients,
            "clients that send one request after the other; a row each. Without --rate");
  flags.add("--rate,--request-rate", o.rates,
            "requests a second that come whatever the server does; a row each. inf: all at once", "X,...");
  flags.add("--burstiness", o.burstiness, "1: they come as a Poisson process; less: in bursts, more: evenly");
  flags.add("--requests,--num-prompts", o.load.requests, "requests of a row. 0: 8 for each client, or 100 by a rate");
  flags.add("--duration", o.duration, "seconds in which a row sends requests; 0: until all are sent", "S");
  flags.add("--warmup,--num-warmups", o.load.warmup, "requests before the first row, which do not count");
  flags.add("-s,--seed", o.load.prompts.seed, "of prompts and arrivals");
}

void declare_prompts(BenchServeArgs& o, Flags& flags) {
  flags.group("Prompts");
  flags.add("-p,--n-prompt", o.load.prompts.prompt_tokens,
            "tokens of a prompt, which is of random words: as near as the server's counts tell");
  flags.add("-n,--n-gen", o.load.prompts.output_tokens, "tokens of an answer");
  flags.add("--shared-prefix", o.load.prompts.shared_tokens, "tokens of -p with which all prompts begin");
  flags.add(
      "--prefix-bytes", o.load.prefix_bytes,
      "send X-Skald-Prefix, a sum of this many first bytes of a request: proxies bring equal ones to one server. 0: no");
  flags.add("-f,--file", o.file,
            R"(JSON lines of {"prompt"} or {"messages"}, with "max_tokens" or without, instead of random words)", "FILE");
  flags.add("--temp,--temperature", o.temperature, "how freely tokens are chosen");
  flags.add("--ignore-eos,!--no-ignore-eos", o.load.prompts.ignore_eos,
            "answers go on to -n tokens, the default, or end where the model ends them");
}

Action declare_bench_serve(Flags& flags) {
  auto o = std::make_shared<BenchServeArgs>();
  flags.group("Server");
  flags.add("--url,--base-url", o->url, "where it is: http://HOST:PORT, https://HOST/v1 or unix:PATH", "URL");
  flags.add("--model", o->load.prompts.model, "which of its models. Default: the first of its list", "ID");
  flags.add("--api-key", o->load.client.api_key, "the key that it asks for", "KEY");
  flags.add("--endpoint", o->endpoint, "chat or completions", "NAME");
  flags.add("--timeout", o->timeout, "seconds without a byte after which a request has failed", "S");
  flags.add("--insecure", o->insecure, "take any certificate");
  declare_load(*o, flags);
  declare_prompts(*o, flags);
  flags.group("Output");
  o->report.declare(flags);
  flags.add("--percentiles,--metric-percentiles", o->load.percentiles, "of times");
  flags.add("--goodput", o->goodput,
            "milliseconds that a request should keep, as ttft:500,itl:100 (or tpot, e2e): tells the share that does",
            "NAME:MS,...");
  return [o, flags] { run(*o, flags); };
}

}  // namespace

extern const Command command_bench_serve;
const Command command_bench_serve{
    .name = "bench serve",
    .summary = "Measure how fast a server with OpenAI's API answers under load",
    .examples =
        "  skald bench serve --url http://127.0.0.1:8080\n"
        "  skald bench serve --concurrency 1,4,16,64 -p 512 -n 128 -o svg > load.svg\n"
        "  skald bench serve --rate 0.5,1,2,inf --requests 200 --goodput ttft:500,itl:100\n"
        "  skald bench serve --url https://example.org/v1 --model some-model --api-key KEY -f prompts.jsonl -o json\n",
    .declare = declare_bench_serve};

}  // namespace skald
