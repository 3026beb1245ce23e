#include "cli/flags/drafts.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/flags/common.h"
#include "cli/flags/table_flags.h"
#include "cli/terminal/tell.h"
#include "engine/drafts/draft_kind.h"

namespace skald {

void declare_drafts(Flags& flags, DraftOptions& draft) {
  add_option(flags, "draft.kind", draft.kind);
  std::vector<std::string> kinds{"none"};
  for (const DraftKind* kind : draft_kinds()) kinds.emplace_back(kind->name);
  flags.offer(std::move(kinds));
  add_option(flags, "draft.most", draft.most);
  add_option(flags, "draft.model", draft.model);
  add_option(flags, "draft.least", draft.least);
  add_option(flags, "draft.p_min", draft.p_min);
  add_option(flags, "draft.corpus", draft.corpus);
}

void check_drafts(const Flags& flags, const DraftOptions& draft) {
  check_usage([&] {
    draft.check();
    find_draft_kind(draft);
  });
  if (flags.given("--draft-max") && !draft.on()) tell("--draft-max does nothing without --spec");
  const auto only_for = [&](const char* flag, std::initializer_list<std::string_view> kinds) {
    if (flags.given(flag) && draft.name() != "auto" && std::ranges::find(kinds, draft.name()) == kinds.end())
      tell(fmt::format("{} does nothing without --spec {}", flag, fmt::join(kinds, " or ")));
  };
  only_for("-md", {"draft"});
  for (const char* flag : {"--draft-min", "--draft-p-min"}) only_for(flag, {"draft", "mtp"});
  only_for("--spec-corpus", {"ngram"});
}

}  // namespace skald
