#include "stores/store_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/error.h"
#include "stores/remote_records.h"

namespace skald {

const char* process_environment(const char* name) { return std::getenv(name); }  // NOLINT(concurrency-mt-unsafe)

std::unique_ptr<RemoteTable> open_table(const RemoteStoreOptions& options) {
  StoreUrl url = read_store_url(options.url);
  std::string forms;
  for (const StoreKind* kind : store_kinds()) {
    if (std::ranges::find(kind->schemes, url.scheme) != kind->schemes.end()) return kind->open(std::move(url), options);
    forms += fmt::format("{}{}", forms.empty() ? "" : " or ", kind->form);
  }
  fail(Errc::kBadInput, "want {}", forms);
}

std::unique_ptr<RecordStore> open_store(const RemoteStoreOptions& options) {
  return std::make_unique<RemoteRecords>(open_table(options));
}

int64_t number_of(const std::string& parameter, const std::string& text, int64_t least, int64_t most) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < least || out > most)
    fail(Errc::kBadInput, "{}: want {} to {}", parameter, least, most);
  return out;
}

}  // namespace skald
