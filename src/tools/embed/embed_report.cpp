#include "tools/embed/embed_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/terminal_text.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr size_t kShown = 60;  // characters of a document

// A string in JSON, of any bytes.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string list(std::span<const float> values) {
  std::string out = "[";
  for (const float& v : values) out += fmt::format("{}{}", &v == values.data() ? "" : ", ", v);
  return out + "]";
}

std::string embedding(const VectorRows& vectors, int64_t row) {
  const auto width = static_cast<size_t>(vectors.width);
  return list(std::span(vectors.values).subspan(static_cast<size_t>(row) * width, width));
}

std::string embeddings_of_tokens(const VectorRows& vectors) {
  std::string out = "[";
  for (int64_t i = 0; i < vectors.rows; ++i) out += (i ? ", " : "") + embedding(vectors, i);
  return out + "]";
}

// As many characters as fit into a line.
std::string beginning(const std::string& text) {
  const std::string shown = terminal_text(text);
  size_t bytes = 0;
  for (size_t n = 0; n < kShown && bytes < shown.size(); ++n)
    bytes += std::max<size_t>(1, decode_front(std::string_view(shown).substr(bytes)).bytes);
  return bytes < shown.size() ? shown.substr(0, bytes) + "..." : shown;
}

}  // namespace

// Written piece by piece: a JSON value for each number would take many times the numbers' memory.
std::string embeddings_json(const VectorRows& vectors, const std::string& model, int64_t tokens) {
  std::string out = "{\"object\": \"list\", \"data\": [";
  const int64_t entries = vectors.of_tokens ? 1 : vectors.rows;
  for (int64_t i = 0; i < entries; ++i)
    out += fmt::format("{}\n{{\"object\": \"embedding\", \"index\": {}, \"embedding\": {}}}", i ? "," : "", i,
                       vectors.of_tokens ? embeddings_of_tokens(vectors) : embedding(vectors, i));
  return out + fmt::format("\n], \"model\": {}, \"usage\": {{\"prompt_tokens\": {}, \"total_tokens\": {}}}}}\n",
                           quoted(model), tokens, tokens);
}

std::vector<Ranked> ranked(std::span<const float> scores, int64_t most) {
  std::vector<Ranked> out;
  for (size_t i = 0; i < scores.size(); ++i) out.push_back({i, scores[i]});
  std::ranges::stable_sort(out, std::ranges::greater(), &Ranked::score);
  if (most >= 0) out.resize(std::min(out.size(), static_cast<size_t>(most)));
  return out;
}

std::string ranking_json(std::span<const Ranked> ranking, const std::string& model) {
  std::string out = fmt::format("{{\"object\": \"list\", \"model\": {}, \"results\": [", quoted(model));
  for (const Ranked& r : ranking)
    out += fmt::format("{}\n{{\"index\": {}, \"relevance_score\": {}}}", &r == ranking.data() ? "" : ",", r.index, r.score);
  return out + "\n]}\n";
}

std::string ranking_table(std::span<const Ranked> ranking, std::span<const std::string> documents) {
  Table table{{"index", "score", "document"}, {}};
  for (const Ranked& r : ranking)
    table.rows.push_back({fmt::to_string(r.index), fmt::format("{:.6f}", r.score), beginning(documents[r.index])});
  return table.markdown();
}

}  // namespace skald
