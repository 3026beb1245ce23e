// Fuzzes what the network tells of a hub: answers, headers, URLs and names are read, or refused by an Error.
//
// Input: a byte that chooses the parser, and the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hub/adapter_facts.h"
#include "hub/answers.h"
#include "hub/content_range.h"
#include "hub/http_status.h"
#include "hub/link_header.h"
#include "hub/names.h"
#include "hub/quant_tag.h"
#include "hub/url.h"
#include "skald/error.h"

namespace {

using namespace skald;

void check(bool holds) {
  if (!holds) std::abort();
}

bool is_inside(std::string_view path) {
  return !path.starts_with('/') && ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

void read_answers(std::string_view text) {
  for (const HubFile& file : read_model_files(text)) {
    check(is_inside(file.path) && is_blob(file.blob) && file.size >= 0);
    check(quant_tag(file.path).size() <= file.path.size());
  }
}

void read_name(std::string_view text) {
  const HubName name = parse_hub_name(text);
  check(is_repo_word(name.repo.name) && (name.repo.user.empty() || is_repo_word(name.repo.user)));
  check(name.tag.empty() || name.file.empty());
  if (!name.file.empty()) check(is_inside(name.file));
  const HubName again = parse_hub_name(name.text());
  check(again.repo == name.repo && again.tag == name.tag && again.file == name.file);
}

void read_link(std::string_view text) {
  const std::string base = "https://hub.example:8443/api/models/u/r/tree/main?recursive=true";
  const std::string next = next_link(text);
  if (next.empty()) return;
  const std::string url = follow(base, next);
  check(url.starts_with("https://") && !origin_of(url).empty());
  check_url(url);
}

void read_url(const std::string& text) {
  check_url(text);
  check(text.find('@') == std::string::npos || !origin_of(text).ends_with("@"));
  follow(text, "/x");
}

void read_range(std::string_view text) {
  check_content_range(text, 100, 200);
  check(text.find("100") != std::string_view::npos);
}

void read_card(std::string_view text) {
  const AdapterFacts facts{.base = card_base(text)};
  check(facts.base.size() <= text.size());
  check(description(facts).find_first_of("\n\x1b") == std::string::npos);
  check(base_word(facts).find_first_of(" $;&|`'\"\n\\") == std::string::npos);
}

void read(uint8_t which, std::string_view text) {
  switch (which % 9) {
    case 0:
      return read_answers(text);
    case 1:
      check(is_commit(read_commit(text)));
      return;
    case 2:
      return read_name(text);
    case 3:
      return read_link(text);
    case 4:
      return read_url(std::string(text));
    case 5:
      return read_range(text);
    case 6:
      return check_revision(text);
    case 7:
      return read_card(text);
    default:
      if (const auto seconds = retry_after(std::string(text), 1'700'000'000)) check(*seconds >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  } catch (const Error& e) {
    check(e.code() == Errc::kBadInput || e.code() == Errc::kBadFile);
  }
  return 0;
}
