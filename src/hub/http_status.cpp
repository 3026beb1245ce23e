#include "hub/http_status.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/error.h"
#include "hub/url.h"
#include "io/printable.h"

namespace skald {
namespace {

// The hub names the fault in a header of its own.
std::string reason_of(const HttpAnswer& answer) {
  const std::string said = answer.header("x-error-message");
  return said.empty() ? "" : fmt::format(": {}", printable(said));
}

}  // namespace

std::optional<double> retry_after(const std::string& header, int64_t now) {
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (error == std::errc() && end == header.data() + header.size())
    return static_cast<double>(std::max<int64_t>(seconds, 0));
  const time_t date = header.empty() ? -1 : curl_getdate(header.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return static_cast<double>(std::max<int64_t>(date - now, 0));
}

void check_status(const HttpAnswer& answer, bool with_token) {
  if (answer.status / 100 == 2) return;
  const std::string who = fmt::format("{} answers {}{}", origin_of(answer.url), answer.status, reason_of(answer));
  if (answer.status == 408 || answer.status == 429 || answer.status / 100 == 5)
    throw HttpFailure(who, retry_after(answer.header("retry-after"), std::time(nullptr)));
  if (answer.status == 401 || answer.status == 403)
    fail(Errc::kNotFound, "{}: {}", who,
         with_token ? "the token does not open it: see whether the name is right and whether its terms are accepted"
                    : "there is no such thing, or it takes a token: set HF_TOKEN, or HF_TOKEN_PATH to a file that holds it");
  if (answer.status == 404) fail(Errc::kNotFound, "{}: there is no such thing", who);
  fail(Errc::kDevice, "{}", who);
}

}  // namespace skald
