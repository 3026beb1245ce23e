#include "tools/report/model_list.h"

#include <nlohmann/json.hpp>

#include "base/size_text.h"
#include "base/terminal_text.h"
#include "io/printable.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr size_t kShortCommit = 7, kShownBase = 60;

std::string state_of(const InstalledModel& m) {
  if (!m.complete) return "incomplete";
  return m.ours ? "" : "of another program";
}

std::string kind_of(const InstalledModel& m) {
  if (!m.model.adapter) return "model";
  const std::string& base = m.model.adapter->base;
  return base.empty() ? "adapter" : "adapter for " + printable(base, kShownBase);
}

std::string refs_of(const InstalledModel& m) {
  std::string out = m.commit.substr(0, kShortCommit);
  for (const std::string& ref : m.refs) out += " " + ref;
  return out;
}

}  // namespace

std::string model_list_table(const std::vector<InstalledModel>& models) {
  Table table{.header = {"name", "kind", "size", "files", "revision", "state"}, .rows = {}};
  for (const InstalledModel& m : models)
    table.rows.push_back({terminal_text(m.name.text()), kind_of(m), size_text(m.model.bytes()),
                          std::to_string(m.model.files.size()), terminal_text(refs_of(m)), state_of(m)});
  return table.markdown();
}

std::string model_list_json(const std::vector<InstalledModel>& models) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const InstalledModel& m : models) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const HubFile& file : m.model.files)
      files.push_back({{"path", valid_utf8(file.path)}, {"bytes", file.size}, {"blob", file.blob}});
    out.push_back({{"name", valid_utf8(m.name.text())},
                   {"kind", m.model.adapter ? "adapter" : "model"},
                   {"repo", m.name.repo.id()},
                   {"tag", m.model.tag},
                   {"revision", m.commit},
                   {"refs", nlohmann::ordered_json::array()},
                   {"path", valid_utf8(m.path)},
                   {"bytes", m.model.bytes()},
                   {"files", files},
                   {"complete", m.complete},
                   {"pulled", m.ours}});
    if (m.model.adapter && !m.model.adapter->base.empty()) out.back()["base"] = valid_utf8(m.model.adapter->base);
    for (const std::string& ref : m.refs) out.back()["refs"].push_back(valid_utf8(ref));
  }
  return out.dump(2) + "\n";
}

}  // namespace skald
