#include "stores/s3/s3_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/error.h"
#include "hub/url.h"

namespace skald {
namespace {

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = environment(name); value && *value) return value;
  return "";
}

// What needs no escapes: a signature is over the path as it is sent.
bool is_plain(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

std::string without_slashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace

S3Address s3_address(StoreUrl url, const Environment& environment) {
  const std::string bucket = url.host, prefix = without_slashes(url.path);
  if (bucket.empty() || !is_plain(bucket, "-.")) fail(Errc::kBadInput, "want s3://BUCKET, of letters, digits, - and .");
  if (!is_plain(prefix, "-._/")) fail(Errc::kBadInput, "want a prefix of letters, digits, -, ., _ and /");
  if (!url.user.empty() || !url.password.empty() || url.port)
    fail(Errc::kBadInput, "s3:// takes no user and no port: want AWS_ACCESS_KEY_ID, and endpoint=URL");
  S3Address out{.region = url.take("region")};
  if (out.region.empty()) out.region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (out.region.empty()) out.region = "us-east-1";
  if (!is_plain(out.region, "-")) fail(Errc::kBadInput, "want a region of letters, digits and -");
  std::string endpoint = without_slashes(url.take("endpoint"));
  if (endpoint.empty()) endpoint = without_slashes(first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}));
  url.check_taken();
  if (endpoint.empty()) {
    // A certificate for *.s3... does not cover a name with dots.
    const bool by_path = bucket.find('.') != bucket.npos;
    const std::string host = fmt::format("s3.{}.amazonaws.com", out.region);
    out.base = by_path ? fmt::format("https://{}/{}/", host, bucket) : fmt::format("https://{}.{}/", bucket, host);
  } else {
    check_web_url(endpoint);
    out.base = fmt::format("{}/{}/", endpoint, bucket);
  }
  if (!prefix.empty()) out.base += prefix + "/";
  out.label = fmt::format("s3://{}{}{}", bucket, prefix.empty() ? "" : "/", prefix);
  if (!endpoint.empty()) out.label += " at " + origin_of(endpoint);
  return out;
}

}  // namespace skald
