#include "stores/s3/s3_error.h"

#include <fmt/format.h>

#include <string_view>

#include "io/printable.h"

namespace skald {
namespace {

// The text of the first element of this name.
std::string_view element(const S3Answer& answer, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(answer.body.data()), answer.body.size());
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const size_t begin = text.find(open);
  if (begin == text.npos) return {};
  const size_t end = text.find(close, begin);
  return end == text.npos ? std::string_view{} : text.substr(begin + open.size(), end - begin - open.size());
}

}  // namespace

std::string s3_error_code(const S3Answer& answer) { return printable(element(answer, "Code")); }

std::string s3_error(const S3Answer& answer) {
  std::string out = fmt::format("status {}", answer.status);
  if (const std::string code = s3_error_code(answer); !code.empty()) out += " " + code;
  if (const std::string message = printable(element(answer, "Message")); !message.empty()) out += ": " + message;
  return out;
}

}  // namespace skald
