#include "io/json.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

// Hears the parser's events, which say at what depth they are.
class Watch {
 public:
  explicit Watch(const JsonLimits& limits) : limits_(limits) {}

  bool operator()(int depth, json::parse_event_t event, json& value) {
    if (depth > limits_.max_depth) fail(Errc::kBadFile, "JSON: more than {} levels deep", limits_.max_depth);
    if (limits_.unique_keys) check_keys(event, value);
    return true;
  }

 private:
  void check_keys(json::parse_event_t event, const json& value) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event != json::parse_event_t::key) return;
    const auto& key = value.get_ref<const std::string&>();
    if (!open_.back().insert(key).second) fail(Errc::kBadFile, "JSON: key {} is there twice", skald::quoted(key));
  }

  JsonLimits limits_;
  std::vector<std::set<std::string>> open_;  // keys of the objects that are being read
};

}  // namespace

json parse_json(std::string_view text, const JsonLimits& limits) {
  Watch watch(limits);
  try {
    return json::parse(text, std::ref(watch));
  } catch (const json::exception& e) {
    fail(Errc::kBadFile, "not valid JSON: {}", printable(e.what()));
  }
}

}  // namespace skald
