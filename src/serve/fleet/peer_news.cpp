#include "serve/fleet/peer_news.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/error.h"
#include "serve/api_error.h"
#include "serve/fields/fields.h"
#include "serve/fleet/prompt_name.h"

namespace skald::serve {
namespace {

constexpr size_t kDigits = 16;  // of a hash
constexpr int64_t kMostRequests = std::numeric_limits<int32_t>::max();

std::string pages_text(const std::vector<PrefixHash>& pages) {
  std::string out;
  out.reserve(pages.size() * kDigits);
  for (const PrefixHash hash : pages) out += prefix_text(hash);
  return out;
}

std::vector<PrefixHash> read_pages(std::string_view text) {
  if (text.size() % kDigits != 0 || text.size() / kDigits > PeerNews::kMostPages)
    fail(Errc::kBadFile, "pages: want up to {} hashes of {} digits", PeerNews::kMostPages, kDigits);
  std::vector<PrefixHash> out;
  out.reserve(text.size() / kDigits);
  for (; !text.empty(); text.remove_prefix(kDigits)) {
    const std::optional<PrefixHash> hash = prefix_of(text.substr(0, kDigits));
    if (!hash) fail(Errc::kBadFile, "pages: want hexadecimal digits");
    out.push_back(*hash);
  }
  return out;
}

int64_t count_of(const Fields& fields, std::string_view key, int64_t least) {
  const std::optional<int64_t> n = fields.integer(key, least, kMostRequests);
  if (!n) refuse_field(std::string(key), "a number");
  return *n;
}

std::string text_of(const Fields& fields, std::string_view key) {
  constexpr size_t kLongest = 128;
  const std::optional<std::string> text = fields.text(key);
  if (!text || text->empty() || text->size() > kLongest) refuse_field(std::string(key), "a short text");
  return *text;
}

PeerNews news_of(const Json& json) {
  const Fields fields(json);
  PeerNews out{.server = text_of(fields, "server"),
               .version = text_of(fields, "version"),
               .load = {.running = count_of(fields, "running", 0),
                        .waiting = count_of(fields, "waiting", 0),
                        .parallel = count_of(fields, "parallel", 1)}};
  if (const std::optional<std::string> pages = fields.text("pages")) out.pages = read_pages(*pages);
  return out;
}

}  // namespace

int64_t ServerLoad::ahead() const { return std::max<int64_t>(0, running + waiting + 1 - parallel); }

std::string version_of(const std::string& server, const std::vector<PrefixHash>& pages) {
  return server + "-" + prefix_text(prefix_hash(sha256({std::as_bytes(std::span(pages))})));
}

Json news_json(const PeerNews& news) {
  Json out = {{"server", news.server},
              {"version", news.version},
              {"running", news.load.running},
              {"waiting", news.load.waiting},
              {"parallel", news.load.parallel}};
  if (news.pages) out["pages"] = pages_text(*news.pages);
  return out;
}

PeerNews read_news(std::string_view text) {
  try {
    return news_of(read_body(text));
  } catch (const ApiError& e) {
    fail(Errc::kBadFile, "{}", e.message());
  }
}

}  // namespace skald::serve
