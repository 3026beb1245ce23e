#include "io/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

// Hears the parser's events, and keeps nothing of it but the keys of open objects.
class Watch final : public nlohmann::json_sax<json> {
 public:
  explicit Watch(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }

  bool key(string_t& name) override {
    if (limits_.unique_keys && !open_.back().insert(name).second)
      fail(Errc::kBadFile, "JSON: key {} is there twice", skald::quoted(name));
    return true;
  }

  bool parse_error(size_t, const std::string&, const json::exception& e) override {
    fail(Errc::kBadFile, "not valid JSON: {}", printable(e.what()));
  }

 private:
  bool enter() {
    if (std::ssize(open_) >= limits_.max_depth) fail(Errc::kBadFile, "JSON: more than {} levels deep", limits_.max_depth);
    open_.emplace_back();
    return true;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  std::vector<std::set<std::string>> open_;  // keys of the arrays (none) and objects that are being read
};

}  // namespace

std::string with_quoted_non_numbers(std::string_view text) {
  if (text.find("NaN") == text.npos && text.find("Infinity") == text.npos) return std::string(text);
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const std::string_view words[] = {"NaN", "-Infinity", "Infinity"};
    const auto* const word = std::ranges::find_if(words, [&](std::string_view w) { return rest.starts_with(w); });
    if (!in_string && word != std::end(words)) {
      out += '"' + std::string(*word) + '"';
      i += word->size();
      continue;
    }
    const bool escape = in_string && text[i] == '\\' && i + 1 < text.size();
    if (text[i] == '"') in_string = !in_string;
    out.append(text.substr(i, escape ? 2 : 1));
    i += escape ? 2 : 1;
  }
  return out;
}

// Twice over the text: a callback of json::parse would hear of depths too, but takes quadratic time for arrays of objects.
json parse_json(std::string_view text, const JsonLimits& limits) {
  Watch watch(limits);
  json::sax_parse(text, &watch);
  try {
    return json::parse(text);
  } catch (const json::exception& e) {
    fail(Errc::kBadFile, "not valid JSON: {}", printable(e.what()));
  }
}

}  // namespace skald
