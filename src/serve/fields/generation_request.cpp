#include "serve/fields/generation_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "serve/api_error.h"
#include "serve/fields/sampling.h"
#include "tools/chat/tool_choice.h"

namespace skald::serve {
namespace {

constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max(), kMostChoices = 128, kMostPriority = 100;
constexpr size_t kMostStops = 64, kLongestStop = 1024, kLongestSalt = 256;

void check_stop(const std::string& text, const std::string& path) {
  if (text.empty() || text.size() > kLongestStop) refuse_field(path, fmt::format("texts of 1 to {} bytes", kLongestStop));
}

// llama-server's fields that change nothing here: contexts are not shifted, and prompts find what others computed whatever
// the slot. `none` or less asks for nothing.
struct NotFollowed {
  std::string_view key;
  int64_t least, none;
};
constexpr NotFollowed kNotFollowed[] = {
    {"n_keep", -1, 0}, {"n_discard", 0, 0}, {"id_slot", -1, -1}, {"n_cache_reuse", 0, 0}, {"t_max_prompt_ms", -1, 0}};

void read_not_followed(const Fields& fields) {
  for (const auto& [key, least, none] : kNotFollowed)
    if (fields.integer(key, least, kMostInt).value_or(none) > none) fields.not_followed(key);
}

// Of a response_format, where its schema is.
std::string place_of_schema(const Json& value, std::string_view key) {
  if (key != "response_format" || !value.is_object()) return {};
  if (const auto nested = value.find("json_schema"); nested != value.end() && nested->is_object())
    return ".json_schema.schema";
  return value.contains("schema") ? ".schema" : "";
}

// Of a format, whose schema is in the field `schema`.
GrammarParams grammar_of(const Fields& format, const Json& json, std::initializer_list<std::string_view> types,
                         std::string_view schema) {
  const std::string type = format.word("type", types).value_or("");
  if (type.empty()) refuse_field(format.path("type"), fmt::format("one of {}", fmt::join(types, ", ")));
  if (type == "json_schema" && !format.find(schema)) refuse_field(format.path(schema), "a JSON schema");
  try {
    return response_grammar(json);
  } catch (const Error& e) {
    throw ApiError(400, e.what(), format.path(schema));
  }
}

std::string salt_of(const Fields& fields) {
  std::string salt = fields.text("cache_salt").value_or("");
  if (salt.size() > kLongestSalt) refuse_field(fields.path("cache_salt"), fmt::format("at most {} bytes", kLongestSalt));
  return salt;
}

}  // namespace

std::vector<std::string> read_stop(const Fields& fields, std::string_view key) {
  const Json* value = fields.find(key);
  const std::string path = fields.path(key);
  if (!value) return {};
  std::vector<std::string> out;
  if (value->is_string()) {
    out.push_back(value->get<std::string>());
    check_stop(out.back(), path);
    return out;
  }
  if (!value->is_array() || value->size() > kMostStops)
    refuse_field(path, fmt::format("a text or up to {} texts", kMostStops));
  for (size_t i = 0; i < value->size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    if (!(*value)[i].is_string()) refuse_field(at, "a text");
    out.push_back((*value)[i].get<std::string>());
    check_stop(out.back(), at);
  }
  return out;
}

GrammarParams read_grammar(const Fields& fields) {
  const std::optional<std::string> gbnf = fields.text("grammar");
  const Json* schema = fields.find("json_schema");
  const Json* format = fields.find("response_format");
  if (gbnf.has_value() + (schema != nullptr) + (format != nullptr) > 1)
    throw ApiError(400, "grammar, json_schema and response_format exclude each other", gbnf ? "grammar" : "json_schema");
  if (gbnf) return gbnf->empty() ? GrammarParams{} : GrammarParams{.kind = GrammarParams::Kind::kGbnf, .text = *gbnf};
  if (schema) {
    if (!schema->is_object() && !schema->is_boolean()) refuse_field(fields.path("json_schema"), "a JSON schema");
    return {.kind = GrammarParams::Kind::kJsonSchema, .text = schema->dump()};
  }
  if (!format) return {};
  const Fields of = Fields::of(*format, fields.path("response_format"));
  return grammar_of(of, *format, {"text", "json_object", "json_schema"}, of.find("schema") ? "schema" : "json_schema");
}

void read_output_format(const Fields& fields, std::string_view key, std::initializer_list<std::string_view> types,
                        GenerationRequest& out) {
  const std::optional<Fields> format = fields.object(key);
  if (!format) return;
  if (!out.request.grammar.empty())
    throw ApiError(400, fields.path(key) + " and " + out.grammar_field + " exclude each other", fields.path(key));
  out.request.grammar = grammar_of(*format, *fields.find(key), types, "schema");
  out.grammar_field = format->path("schema");
}

void read_stream(const Fields& fields, bool usual, GenerationRequest& out) {
  out.stream = fields.flag("stream").value_or(usual);
  if (const std::optional<Fields> options = fields.object("stream_options"))
    out.include_usage = options->flag("include_usage").value_or(false) && out.stream;
}

void read_progress(const Fields& fields, GenerationRequest& out) {
  out.return_progress = fields.flag("return_progress").value_or(false) && out.stream;
}

void read_choices(const Fields& fields, GenerationRequest& out) {
  constexpr double kMost = Request::kMostLengthPenalty;
  static_assert(kMostChoices <= Request::kMostBeams);
  Request& r = out.request;
  r.n = static_cast<int>(fields.integer("n", 1, kMostChoices).value_or(1));
  const auto best = static_cast<int>(fields.integer("best_of", 1, kMostChoices).value_or(r.n));
  if (best < r.n) refuse_field(fields.path("best_of"), fmt::format("at least n, which is {}", r.n));
  const std::optional<double> penalty = fields.number("length_penalty", {-kMost, kMost});
  if (!fields.flag("use_beam_search").value_or(false)) {
    r.best_of = best;
    if (penalty) fields.not_followed("length_penalty");
    return;
  }
  r.beams = best;
  r.length_penalty = static_cast<float>(penalty.value_or(r.length_penalty));
  sampling_not_followed(fields);
}

std::vector<std::string> read_request(const Fields& fields, int64_t n_vocab, const Asker& asker, GenerationRequest& out) {
  Request& r = out.request;
  std::vector<std::string> breakers = read_sampling(fields, n_vocab, r.sampling);
  const std::string_view limit =
      fields.spelling({"max_tokens", "max_completion_tokens", "n_predict", "max_output_tokens", "num_predict"});
  r.max_tokens = static_cast<int>(fields.integer(limit, -1, kMostInt).value_or(r.max_tokens));
  r.min_indent = static_cast<int>(fields.integer("n_indent", 0, kMostInt).value_or(0));
  r.max_seconds =
      1e-3 * static_cast<double>(std::max<int64_t>(0, fields.integer("t_max_predict_ms", -1, kMostInt).value_or(0)));
  read_not_followed(fields);
  r.ignore_eos = fields.flag("ignore_eos").value_or(false);
  r.cache_prompt = fields.flag("cache_prompt").value_or(true);
  r.owner = asker.owner;
  r.scope = cache_namespace(asker.owner, salt_of(fields));
  r.priority = static_cast<int>(fields.integer("priority", -kMostPriority, kMostPriority).value_or(0));
  r.stop = read_stop(fields, "stop");
  r.grammar = read_grammar(fields);
  for (const std::string_view key : {"grammar", "json_schema", "response_format"})
    if (const Json* value = fields.find(key)) out.grammar_field = fields.path(key) + place_of_schema(*value, key);
  return breakers;
}

int64_t answer_room(const Request& request, int64_t n_ctx) {
  constexpr int64_t kShare = 8, kMostShare = 2;
  return request.max_tokens < 0 ? n_ctx / kShare : std::min<int64_t>(request.max_tokens, n_ctx / kMostShare);
}

// Of the salt a keyed hash: files that say whose they are do not tell it.
std::string cache_namespace(const std::string& owner, const std::string& salt) {
  const std::string own = cache_owner(owner);
  return salt.empty() ? own : own + hexadecimal(hmac_sha256(owner, std::as_bytes(std::span(salt))));
}

// No owner's name has a colon.
std::string cache_owner(const std::string& owner) { return owner + ":"; }

}  // namespace skald::serve
