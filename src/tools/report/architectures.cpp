#include "tools/report/architectures.h"

#include <algorithm>

#include "models/family.h"

namespace skald {

Table architectures() {
  Table table{.header = {"architecture", "models", "logits of"}, .rows = {}};
  for (const Family* f : families())
    table.rows.push_back({std::string(f->arch), std::string(f->covers), std::string(f->verified)});
  std::ranges::sort(table.rows);
  return table;
}

}  // namespace skald
