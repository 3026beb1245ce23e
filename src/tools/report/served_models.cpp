#include "tools/report/served_models.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/size_text.h"
#include "hub/http.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr int64_t kLongestAnswer = int64_t{1} << 20;

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

std::string served_models(const std::string& url, const std::string& key) {
  std::string text;
  try {
    HttpClient().get_text({.url = without_slash(url) + "/api/ps", .token = key}, kLongestAnswer, text);
  } catch (const HttpFailure& e) {
    fail(Errc::kDevice, "{}: no server answers: {}; skald serve starts one", url, e.what());
  }
  return text;
}

std::string served_models_table(const std::string& answer) {
  Table table{.header = {"name", "parameters", "type", "size"}, .rows = {}};
  try {
    const nlohmann::json all = nlohmann::json::parse(answer);
    for (const nlohmann::json& model : all.at("models")) {
      const nlohmann::json& details = model.at("details");
      table.rows.push_back({model.at("name"), details.at("parameter_size"), details.at("quantization_level"),
                            size_text(model.at("size").get<int64_t>())});
    }
  } catch (const nlohmann::json::exception& e) {
    fail(Errc::kBadFile, "the server's answer lists no models: {}", e.what());
  }
  return table.rows.empty() ? "no model is loaded\n" : table.markdown();
}

}  // namespace skald
