#include "kv/kept_pages.h"

#include <algorithm>
#include <utility>

namespace skald {

KeptPages::KeptPages(SharedPages pages) : pages_(std::move(pages)) {
  for (SharedPages::Group& group : pages_.groups) keep(group, true);
}

KeptPages& KeptPages::operator=(KeptPages&& other) noexcept {
  std::swap(pages_, other.pages_);
  return *this;
}

KeptPages::~KeptPages() {
  for (SharedPages::Group& group : pages_.groups) keep(group, false);
}

void KeptPages::keep(SharedPages::Group& group, bool keeps) {
  for (PageRef& page : group.pages)
    if (page) page.keep(keeps);
  for (IndexRuns::Entry& entry : group.runs) entry.ref.keep(keeps);
}

bool KeptPages::used() const {
  const auto uses = [](const SharedPages::Group& group) {
    return std::ranges::any_of(group.pages, [](const PageRef& page) { return page && page.used(); });
  };
  return std::ranges::any_of(pages_.groups, uses) || (pages_.recurrent && pages_.recurrent.use_count() > 1);
}

void KeptPages::drop_group(size_t group) {
  SharedPages::Group& dropped = pages_.groups[group];
  keep(dropped, false);
  for (PageRef& page : dropped.pages) page = PageRef();
  dropped.runs.clear();
}

void KeptPages::set_group(size_t group, SharedPages::Group pages) {
  keep(pages_.groups[group], false);
  pages_.groups[group] = std::move(pages);
  keep(pages_.groups[group], true);
}

}  // namespace skald
