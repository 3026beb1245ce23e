#include "tools/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace skald {
namespace {

bool is_number(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789,.+-%± ") == std::string_view::npos;
}

// Characters, counting a UTF-8 sequence as one.
size_t width(std::string_view s) {
  return static_cast<size_t>(
      std::ranges::count_if(s, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string quoted(const std::string& s) {
  if (s.find_first_of(",\"\r\n") == std::string::npos) return s;
  std::string out = "\"";
  for (char c : s) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string Table::markdown() const {
  std::vector<size_t> widths;
  std::vector<bool> right;
  for (size_t c = 0; c < header.size(); ++c) {
    widths.push_back(std::max<size_t>(width(header[c]), 3));
    right.push_back(!rows.empty());
    for (const auto& row : rows) {
      widths[c] = std::max(widths[c], width(row[c]));
      right[c] = right[c] && is_number(row[c]);
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string pad(widths[c] - width(cells[c]), ' ');
      out += " " + (right[c] ? pad + cells[c] : cells[c] + pad) + " |";
    }
    return out + "\n";
  };
  std::string out = line(header) + "|";
  for (size_t c = 0; c < header.size(); ++c) out += " " + std::string(widths[c] - 1, '-') + (right[c] ? ": |" : "- |");
  out += "\n";
  for (const auto& row : rows) out += line(row);
  return out;
}

std::string Table::csv() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out;
    for (size_t c = 0; c < cells.size(); ++c) out += (c ? "," : "") + quoted(cells[c]);
    return out + "\n";
  };
  std::string out = line(header);
  for (const auto& row : rows) out += line(row);
  return out;
}

std::string in_thousands(int64_t n) {
  std::string out = std::to_string(n);
  const size_t first = n < 0 ? 1 : 0;
  for (size_t at = out.size(); at > first + 3;) out.insert(at -= 3, ",");
  return out;
}

}  // namespace skald
