#include "serve/load/load_prompts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "base/rng.h"
#include "io/json.h"
#include "io/line_reader.h"

namespace skald::serve {
namespace {

constexpr int64_t kLongestLine = int64_t{64} << 20;

// Words that most vocabularies have as one token.
constexpr std::array<std::string_view, 64> kWords = {
    "time",   "year",     "people",   "way",   "day",     "man",   "thing", "woman",   "life",   "child",  "world",
    "school", "state",    "family",   "group", "country", "hand",  "part",  "place",   "case",   "week",   "company",
    "system", "program",  "question", "work",  "number",  "night", "point", "home",    "water",  "room",   "mother",
    "area",   "money",    "story",    "fact",  "month",   "lot",   "right", "study",   "book",   "eye",    "job",
    "word",   "business", "issue",    "side",  "kind",    "head",  "house", "service", "friend", "father", "power",
    "hour",   "game",     "line",     "end",   "member",  "law",   "car",   "city",    "name"};

void add_words(std::string& out, int64_t n, Rng random) {
  for (int64_t i = 0; i < n; ++i) {
    if (!out.empty()) out += ' ';
    out += kWords[random.next() % kWords.size()];
  }
}

LoadPrompts::Given parse_given(const LineReader::Line& line) {
  const nlohmann::json json = parse_json(line.text);
  const bool text = json.is_object() && json.contains("prompt"), messages = json.is_object() && json.contains("messages");
  if (text == messages) fail(Errc::kBadFile, "want an object with prompt or messages");
  LoadPrompts::Given out{.messages = messages};
  if (messages && !json["messages"].is_array()) fail(Errc::kBadFile, "messages: want a list");
  if (text && !json["prompt"].is_string()) fail(Errc::kBadFile, "prompt: want a text");
  out.text = messages ? json["messages"].dump() : json["prompt"].get<std::string>();
  if (const auto most = json.find("max_tokens"); most != json.end()) {
    if (!most->is_number_integer() || most->get<int64_t>() < 1)
      fail(Errc::kBadFile, "max_tokens: want a number of 1 or more");
    out.output_tokens = most->get<int64_t>();
  }
  return out;
}

}  // namespace

int64_t WordRate::words(int64_t tokens) const {
  return std::max<int64_t>(1, std::llround((static_cast<double>(tokens) - fixed) / per_word));
}

WordRate word_rate(int64_t words1, int64_t tokens1, int64_t words2, int64_t tokens2) {
  const double per_word = static_cast<double>(tokens2 - tokens1) / static_cast<double>(words2 - words1);
  if (!(per_word > 0)) return {};
  return {.fixed = static_cast<double>(tokens1) - per_word * static_cast<double>(words1), .per_word = per_word};
}

void LoadPrompts::read(const std::string& path) {
  LineReader(path, kLongestLine).each([&](const LineReader::Line& line) {
    doing(path + ":" + std::to_string(line.number), [&] {
      if (line.too_long) fail(Errc::kBadFile, "the line has more than {} MiB", kLongestLine >> 20);
      given.push_back(parse_given(line));
      if (given.back().messages && !chat) fail(Errc::kBadFile, "messages are for --endpoint chat");
    });
  });
  if (given.empty()) fail(Errc::kBadFile, "{}: there are no prompts in it", path);
}

// A prompt's own words are drawn from a seed of its own, with any text before it.
std::string LoadPrompts::text(int64_t number) const {
  const int64_t all = rate.words(prompt_tokens);
  const int64_t shared = std::min<int64_t>(all - 1, std::llround(static_cast<double>(shared_tokens) / rate.per_word));
  std::string out;
  add_words(out, shared, Rng(seed));
  add_words(out, all - shared, Rng(seed ^ (static_cast<uint64_t>(number + 1) * 0x9e3779b97f4a7c15u)));
  return out;
}

std::string LoadPrompts::body(int64_t number) const {
  if (!given.empty()) return body_of(given[static_cast<size_t>(number) % given.size()]);
  return body_of({.text = text(number)});
}

std::string LoadPrompts::probe(int64_t words) const {
  Given out{.output_tokens = 1};
  add_words(out.text, words, Rng(seed + static_cast<uint64_t>(words)));
  return body_of(out);
}

std::string LoadPrompts::body_of(const Given& one) const {
  nlohmann::ordered_json out;
  if (!model.empty()) out["model"] = model;
  if (!chat)
    out["prompt"] = one.text;
  else if (one.messages)
    out["messages"] = nlohmann::ordered_json::parse(one.text);
  else
    out["messages"] = nlohmann::ordered_json::array({{{"role", "user"}, {"content", one.text}}});
  out["max_tokens"] = one.output_tokens > 0 ? one.output_tokens : output_tokens;
  out["temperature"] = temperature;
  if (ignore_eos) out["ignore_eos"] = true;
  out["stream"] = true;
  out["stream_options"] = {{"include_usage", true}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace skald::serve
