#include "serve/fields/ollama.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/number_from_chars.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

GrammarParams grammar_of(const Fields& fields) {
  const Json* format = fields.find("format");
  if (!format || is_text(*format, "")) return {};
  GrammarParams out{.kind = GrammarParams::Kind::kJsonSchema};
  if (*format == "json")
    out.text = R"({"type": "object"})";
  else if (format->is_object())
    out.text = format->dump();
  else
    refuse_field("format", "json or a JSON schema");
  return out;
}

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 7> kUnits = {
    {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};

// In seconds, of numbers with units one after the other; 0 may be without one.
std::optional<double> duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return {};
  double sum = 0;
  while (!text.empty()) {
    double number = 0;
    const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto [end, error] = number_from_chars(text.data(), text.data() + digits, number);
    if (error != std::errc{}) return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    const auto unit = std::ranges::find(kUnits, text.substr(0, letters), &Unit::name);
    if (unit == kUnits.end()) return {};
    sum += number * unit->seconds;
    text.remove_prefix(letters);
  }
  return negative ? -sum : sum;
}

}  // namespace

Fields ollama_options(const Fields& fields) {
  static const Json kNone = Json::object();
  const Json* options = fields.find("options");
  return options ? Fields::of(*options, "options") : Fields(kNone, "options");
}

void read_ollama_format(const Fields& fields, GenerationRequest& out) {
  out.request.grammar = grammar_of(fields);
  out.grammar_field = "format";
  out.stream = fields.flag("stream").value_or(true);
  read_keep_alive(fields);
  fields.not_followed("keep_alive");  // with a text
}

std::optional<double> read_keep_alive(const Fields& fields) {
  const Json* keep = fields.find("keep_alive");
  if (!keep) return {};
  if (keep->is_number()) return keep->get<double>();
  const std::optional<double> time = keep->is_string() ? duration(keep->get_ref<const std::string&>()) : std::nullopt;
  if (!time) refuse_field("keep_alive", "seconds, or a time as 5m or 1h30m");
  return time;
}

void read_think(const Fields& fields, Chat& chat) {
  const Json* think = fields.find("think");
  if (!think) return;
  if (think->is_string())
    want_effort(think->get<std::string>(), chat);
  else if (think->is_boolean())
    chat.want_thinking(think->get<bool>());
  else
    refuse_field("think", "true, false, or low, medium or high");
}

// Arguments are objects here, which templates take as well.
Json ollama_messages(const Fields& fields) {
  const Json* messages = fields.find("messages");
  Json all = messages ? *messages : Json();
  if (all.is_array())
    for (Json& message : all)
      if (message.is_object() && message.contains("images") && !message["images"].is_null() && !message["images"].empty())
        throw ApiError(400, "messages: images are not supported", "messages");
  return checked_messages(all, "messages");
}

}  // namespace skald::serve
