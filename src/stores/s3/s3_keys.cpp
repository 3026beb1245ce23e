#include "stores/s3/s3_keys.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace skald {
namespace {

std::string value_of(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value ? value : "";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

S3Keys s3_keys_of_file(std::string_view text, std::string_view profile) {
  S3Keys out;
  bool ours = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with('[')) ours = line.ends_with(']') && trimmed(line.substr(1, line.size() - 2)) == profile;
    const size_t equals = line.find('=');
    if (!ours || equals == line.npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") out.id = value;
    if (name == "aws_secret_access_key") out.secret = value;
    if (name == "aws_session_token") out.token = value;
  }
  return out;
}

S3Keys s3_keys(const Environment& environment) {
  S3Keys out{.id = value_of(environment, "AWS_ACCESS_KEY_ID"),
             .secret = value_of(environment, "AWS_SECRET_ACCESS_KEY"),
             .token = value_of(environment, "AWS_SESSION_TOKEN")};
  if (!out.id.empty() && !out.secret.empty()) return out;
  std::string file = value_of(environment, "AWS_SHARED_CREDENTIALS_FILE"), profile = value_of(environment, "AWS_PROFILE");
  if (file.empty()) file = value_of(environment, "HOME") + "/.aws/credentials";
  if (profile.empty()) profile = "default";
  std::ifstream in(file, std::ios::binary);
  out = s3_keys_of_file(std::string(std::istreambuf_iterator<char>(in), {}), profile);
  if (out.id.empty() || out.secret.empty())
    fail(Errc::kBadInput, "want AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or profile {} in {}", profile, file);
  return out;
}

}  // namespace skald
