#include "cli/run/beams.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/flags/common.h"
#include "cli/terminal/tell.h"
#include "tools/report/finish_word.h"
#include "tools/report/timings.h"

namespace skald {
namespace {

std::vector<const Choice*> texts_of(const Result& result) {
  std::vector<const Choice*> out{&result};
  for (const Choice& other : result.others) out.push_back(&other);
  return out;
}

std::vector<TokenId> ids_of(const Choice& text) {
  std::vector<TokenId> out = text.tokens;
  if (text.end_token >= 0) out.push_back(text.end_token);
  return out;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const size_t at = std::string_view("\n\t\r\\").find(c);
    if (at == std::string_view::npos)
      out += c;
    else
      (out += '\\') += "ntr\\"[at];
  }
  return out;
}

}  // namespace

void BeamFlags::declare(Flags& flags) {
  flags.add("--beams", beams, "search for the likeliest text with this many live ones, by no sampler; 0: draw tokens");
  flags.add("--length-penalty", length_penalty,
            "of --beams: texts compare by log-probability / tokens^P, so that a higher one favours long texts", "P");
  flags.add("--n-best", n_best, "of --beams: number of texts to print, the best first");
}

void BeamFlags::check(const Flags& flags, const SamplingFlags& sampling) const {
  if (beams < 0 || beams > Request::kMostBeams)
    throw UsageError(fmt::format("run: --beams: want 0 to {}", Request::kMostBeams));
  if (!on()) {
    for (const char* flag : {"--length-penalty", "--n-best"})
      if (flags.given(flag)) throw UsageError(fmt::format("run: {}: only with --beams", flag));
    return;
  }
  if (n_best < 1 || n_best > beams)
    throw UsageError(fmt::format("run: --n-best: want 1 to {}, the number of --beams", beams));
  if (!(length_penalty >= -Request::kMostLengthPenalty && length_penalty <= Request::kMostLengthPenalty))
    throw UsageError(fmt::format("run: --length-penalty: want a number from -{0} to {0}", Request::kMostLengthPenalty));
  for (const char* flag : {"--static", "--spec"})
    if (flags.given(flag)) throw UsageError(fmt::format("run: {}: not with --beams", flag));
  if (const std::vector<std::string> unused = sampling.given(); !unused.empty())
    tell(fmt::format("--beams searches by the model's own probabilities: {} {} nothing", fmt::join(unused, ", "),
                     unused.size() == 1 ? "does" : "do"));
  if (!flags.given("-n"))
    tell("--beams without -n: a longer text might still be better, so the search may go on until the context is full");
}

std::string BeamFlags::line() const {
  return fmt::format(" {} beams, length penalty {:.9g}: the likeliest text, by no sampler\n", beams, length_penalty);
}

void BeamFlags::fill(Request& request) const {
  request.beams = beams;
  request.length_penalty = length_penalty;
  request.n = on() ? n_best : 1;
}

void BeamFlags::make_room(EngineOptions& options, int64_t n_prompt) const {
  if (!on()) return;
  options.schedule.n_parallel = beams;
  const int64_t n_ctx = options.cache.n_ctx, page = EngineStatus::Pages().page_tokens;
  if (n_ctx > n_prompt && !options.schedule.context_shift)
    options.cache.total_keys = n_ctx + beams * (n_ctx - n_prompt + 2 * page);
}

std::string beams_json(const Result& result) {
  nlohmann::ordered_json texts = nlohmann::ordered_json::array();
  for (const Choice* text : texts_of(result))
    texts.push_back({{"ids", ids_of(*text)},
                     {"content", text->text},
                     {"log_prob", text->log_prob},
                     {"score", text->score},
                     {"finish_reason", finish_word(text->finish)}});
  const nlohmann::ordered_json out = {{"beams", std::move(texts)}, {"timings", timings_json(result.timing)}};
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string beams_text(const Result& result, BeamLines form) {
  const auto said = [&](const Choice& text) {
    return form.ids ? fmt::format("{}", fmt::join(ids_of(text), " ")) : text.text;
  };
  if (!form.scores) return said(result) + "\n";
  std::string out;
  for (const Choice* text : texts_of(result)) out += fmt::format("{:.6f}\t{}\n", text->score, on_one_line(said(*text)));
  return out;
}

}  // namespace skald
