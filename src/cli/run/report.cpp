#include "cli/run/report.h"
#include "cli/terminal/tell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/memory.h"
#include "loading/loaded_model.h"
#include "tools/report/draft_words.h"
#include "tools/report/table.h"
#include "tools/report/vocab_file.h"

namespace skald {
namespace {

double mib(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string text_of(const StaticUse& use) {
  return fmt::format(
      "static:   {} keys of {} bits, {} bytes (reserve {:.1f}); {} tokens, {} shifts, {} copies, {:.1f} bytes copied per "
      "token\n",
      use.context, use.bits, in_thousands(use.bytes), use.reserve, use.tokens, use.shifts, use.copies,
      use.copied_bytes_per_token());
}

void print_static_report(const MemoryUse& memory, const StaticUse& use) {
  const Table table{.header = {"part", "bytes"},
                    .rows = {{"keys", in_thousands(memory.keys())},
                             {"values", in_thousands(memory.values())},
                             {"all", in_thousands(use.bytes)}}};
  say("KV cache: {}\n{}", memory.kv_storage, table.markdown());
  if (!use.scales.empty()) say("--kv-scale {:.6g}\n", fmt::join(use.scales, ","));
}

void print_paged_report(const MemoryUse& memory) {
  Table table{.header = {"layers", "window", "pages", "keys MiB", "values MiB", "index MiB"}, .rows = {}};
  const auto in_mib = [](int64_t bytes) { return fmt::format("{:.2f}", mib(bytes)); };
  for (const MemoryUse::KvGroup& g : memory.kv)
    table.rows.push_back({std::to_string(g.layers), g.window ? std::to_string(g.window) : "all", std::to_string(g.pages),
                          in_mib(g.keys), in_mib(g.values), in_mib(g.index)});
  say("KV cache: {}; the most that was held\n{}", memory.kv_storage, table.markdown());
  if (const MemoryUse::States& s = memory.states; s.each > 0)
    say("states:   {} of recurrent layers, {:.2f} MiB of each sequence, {:.2f} MiB in all\n", s.layers, mib(s.each),
        mib(s.bytes));
}

// "3 layers that see all keys", "1 layer with a window of 512".
std::string name_of(const SparqLayers& l) {
  const bool one = l.layers == 1;
  if (!l.window) return fmt::format("{} {} all keys", l.layers, one ? "layer that sees" : "layers that see");
  return fmt::format("{} {} with a window of {}", l.layers, one ? "layer" : "layers", in_thousands(l.window));
}

std::string text_of(const SparqLayers& l) {
  if (!l.from) return name_of(l) + ": dense at any length";
  const std::string from = in_thousands(l.from), most = in_thousands(l.most_keys);
  if (!l.can_be_sparse()) return fmt::format("{}: dense below {} keys, and a token sees {} at most", name_of(l), from, most);
  const std::string scored = l.k1 > 0 ? fmt::format("k1 {} and ", l.k1) : "";  // pages have no components
  return fmt::format("{}: sparse from {} keys on; at {}, {}k2 {}", name_of(l), from, most, scored, in_thousands(l.k2));
}

std::vector<std::string> texts_of(std::span<const SparqLayers> layers) {
  std::vector<std::string> out;
  out.reserve(layers.size());
  for (const SparqLayers& l : layers) out.push_back(text_of(l));
  return out;
}

// In quotes, with its control characters visible.
std::string shown(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "guesses:      40 tokens, of which 35 (88 %) were right; by place 100, 90, 75 %".
void print_guesses(const DraftUse& use) {
  say("guesses:  {:6} tokens, of which {} ({:.0f} %) were right; by place {} %\n", use.guessed, use.right,
      percent_right(use.right, use.guessed), percent_by_place(use, ", "));
}

}  // namespace

void print_finish(const Result& result, const Model& model, int64_t n_ctx) {
  switch (result.finish) {
    case FinishReason::kEnd:
      if (result.end_token < 0) return say("stopped:  the grammar is complete\n");
      return say("stopped:  at the end of the text, {}\n", model.loaded()->tokenizer().text_of(result.end_token, true));
    case FinishReason::kStop:
      return say("stopped:  before the stop text {}\n", shown(result.stop_text));
    case FinishReason::kLength:
      return say("stopped:  after {} token{}, as -n says\n", result.tokens.size(), result.tokens.size() == 1 ? "" : "s");
    case FinishReason::kContext:
      return say("stopped:  the context of {} tokens is full\n", n_ctx);
    case FinishReason::kCancelled:
      return say("stopped:  interrupted\n");
    case FinishReason::kNone:
    case FinishReason::kError:
      return;
  }
}

void print_timings(const Result& result, const MemoryUse& memory) {
  const auto rate = [](int64_t n, double s) { return s > 0 ? static_cast<double>(n) / s : 0; };
  const Timing& t = result.timing;
  const std::string states =
      memory.states.each > 0 ? fmt::format(" states {:.1f} MiB,", mib(memory.states.bytes)) : std::string();
  // The first token comes out of the prompt's last step.
  const int64_t decoded = std::max<int64_t>(t.n_generated - 1, 0);
  say("prompt:   {:6} tokens in {:8.1f} ms, {:8.2f} tokens/s\n", t.n_prompt, t.prompt_seconds * 1e3,
      rate(t.n_prompt, t.prompt_seconds));
  if (decoded > 0)
    say("generate: {:6} tokens in {:8.1f} ms, {:8.2f} tokens/s\n", decoded, t.generate_seconds * 1e3,
        rate(decoded, t.generate_seconds));
  else
    say("generate: {:6} token{}\n", t.n_generated, t.n_generated ? ", of the prompt's last step" : "s");
  if (t.drafts.guessed > 0) print_guesses(t.drafts);
  fmt::print(stderr,
             "memory:   weights {:.1f} MiB, keys {:.1f} MiB, values {:.1f} MiB, index {:.1f} MiB,{} work {:.1f} MiB; peak "
             "{:.1f} MiB; seed {}\n",
             mib(memory.weights), mib(memory.keys()), mib(memory.values()), mib(memory.index()), states, mib(memory.work),
             mib(peak_memory()), result.seed);
  if (memory.static_use) say("{}", text_of(*memory.static_use));
}

void print_sparq_use(const SparqUse& use) {
  if (use.dense <= 0) return;
  const std::string lost =
      use.known ? fmt::format("; loses {:.4f} nats a token, measured at {}", use.nats_a_token(), use.measured) : "";
  say("sparse:   read 1/{:.2f} of what dense decoding reads{}\n", 1 / use.share(), lost);
}

void tell_if_dense(const SparqUse& use, std::span<const SparqLayers> layers) {
  if (use.dense > 0 || use.tokens == 0) return;
  if (use.measured > 0)
    return tell(
        fmt::format("--sparq-loss: every token was decoded densely, since {} measured ones lost too much", use.measured));
  tell(fmt::format("--sparq: every token was decoded densely ({})", fmt::join(texts_of(layers), "; ")));
}

void print_kv_report(const MemoryUse& memory, std::span<const SparqLayers> layers) {
  if (memory.static_use) return print_static_report(memory, *memory.static_use);
  print_paged_report(memory);
  for (const std::string& text : texts_of(layers)) say("sparse:   {}\n", text);
}

void print_run_report(const Result& result, const Model& model, const Engine& engine, RunReport what) {
  if (what.perf) {
    print_finish(result, model, engine.n_ctx());
    print_timings(result, engine.memory());
    print_sparq_use(engine.sparq_use());
  }
  const std::vector<SparqLayers> layers = engine.sparq_layers();
  tell_if_dense(engine.sparq_use(), layers);
  if (what.kv) print_kv_report(engine.memory(), layers);
}

}  // namespace skald
