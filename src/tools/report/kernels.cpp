#include "tools/report/kernels.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backend/cpu/kernel_list.h"
#include "base/error.h"

namespace skald {

Table kernels_report(std::string_view word) {
  Table table{.header = {"entry", "tier", "function", "file"}, .rows = {}};
  for (const KernelRow& k : list_kernels()) {
    std::vector<std::string> row{k.of.empty() ? k.kernel : k.kernel + " " + k.of, k.tier, k.function, k.file};
    const auto has_word = [&](const std::string& cell) { return cell.find(word) != std::string::npos; };
    if (std::ranges::any_of(row, has_word)) table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) fail(Errc::kBadInput, "kernels: no entry has '{}'", word);
  return table;
}

std::string kernels_json(const Table& table) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::vector<std::string>& row : table.rows) {
    nlohmann::ordered_json& object = all.emplace_back(nlohmann::ordered_json::object());
    for (size_t i = 0; i < row.size(); ++i) object[table.header[i]] = row[i];
  }
  return all.dump(2) + "\n";
}

}  // namespace skald
