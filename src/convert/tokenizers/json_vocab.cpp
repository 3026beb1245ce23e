#include "convert/tokenizers/json_vocab.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/error.h"
#include "io/printable.h"
#include "text/byte_unicode.h"
#include "text/sentence_piece.h"
#include "text/utf8.h"

namespace skald {
namespace {

// Parts have no spaces in this form: a space separates them.
Merge split_merge(std::string_view line, const std::string& name) {
  const size_t space = line.find(' ');
  if (space == 0 || space == line.npos || space + 1 == line.size() || line.find(' ', space + 1) != line.npos)
    fail(Errc::kBadFile, "{}: {} is not two pieces with a space between", name, skald::quoted(line));
  return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

}  // namespace

void add_pieces(const JsonNode& vocab, PieceTable& pieces) {
  if (!vocab.is_object()) vocab.want("an object of pieces and their ids");
  doing(vocab.name(), [&] {
    for (const auto& [text, id] : vocab.raw().items()) {
      if (!id.is_number_integer()) fail(Errc::kBadFile, "{}: want an id", skald::quoted(text));
      pieces.add(JsonNode(id, skald::quoted(text)).integer(), {.text = text});
    }
  });
}

std::vector<Merge> read_merges(const JsonNode& list) {
  std::vector<Merge> out;
  out.reserve(list.size());
  for (const nlohmann::json& merge : list.raw()) {
    const auto name = [&] { return fmt::format("{}[{}]", list.name(), out.size()); };
    if (merge.is_string()) {
      out.push_back(split_merge(merge.get_ref<const std::string&>(), name()));
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      out.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
    } else {
      JsonNode(merge, name()).want("two pieces");
    }
  }
  return out;
}

std::vector<Merge> parse_merges(std::string_view text, const std::string& name) {
  std::vector<Merge> out;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    out.push_back(split_merge(line, fmt::format("{}: line {}", name, number)));
  }
  return out;
}

void check_merges(const std::vector<Merge>& merges, const JsonNode& vocab) {
  std::unordered_set<std::string_view> pieces;
  pieces.reserve(vocab.raw().size());
  for (const auto& [text, id] : vocab.raw().items()) pieces.insert(text);
  std::string joined;
  for (const auto& [left, right] : merges) {
    (joined = left) += right;
    for (const std::string* part : {&left, &right, &std::as_const(joined)}) {
      if (pieces.contains(*part)) continue;
      fail(Errc::kBadFile, "the merge of {} and {}: {} is not in {}", skald::quoted(left), skald::quoted(right),
           skald::quoted(*part), vocab.name());
    }
  }
}

std::vector<std::string> merge_lines(const std::vector<Merge>& merges) {
  std::string space;
  append_utf8(space, byte_to_char(' '));
  std::vector<std::string> out;
  out.reserve(merges.size());
  for (const auto& [left, right] : merges) out.push_back(replaced(left, " ", space) + " " + replaced(right, " ", space));
  return out;
}

}  // namespace skald
