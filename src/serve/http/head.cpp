#include "serve/http/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace skald::serve {
namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {529, "Overloaded"},
};

// A value cannot end its line: control characters become spaces.
void add_field(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  for (const char c : value) head += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  head += "\r\n";
}

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* found = std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
  return found == std::end(kReasons) ? "Status" : found->second;
}

std::string http_date(std::time_t time) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc = {};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool is_request_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

bool is_bodyless(int status) { return status / 100 == 1 || status == 204 || status == 304; }

std::string answer_head(const HttpAnswer& answer, const Framing& framing, std::optional<size_t> length) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason_phrase(answer.status));
  add_field(head, "Date", http_date(std::time(nullptr)));
  add_field(head, "x-request-id", framing.id);
  for (const auto& [name, value] : answer.headers) add_field(head, name, value);
  if (length && !is_bodyless(answer.status)) add_field(head, "Content-Length", fmt::to_string(*length));
  if (!length && !framing.http10) add_field(head, "Transfer-Encoding", "chunked");
  if (!framing.keep_alive)
    add_field(head, "Connection", "close");
  else if (framing.http10)
    add_field(head, "Connection", "keep-alive");
  return head + "\r\n";
}

std::string as_chunk(std::string_view piece) { return fmt::format("{:x}\r\n{}\r\n", piece.size(), piece); }

}  // namespace skald::serve
