#include "sampling/grammar/schema/uri_reference.h"

#include <algorithm>
#include <optional>

namespace skald {
namespace {

struct Uri {
  std::string scheme;  // with its colon; empty: a relative reference
  std::optional<std::string> authority;
  std::string path;
  std::string query;     // with its question mark
  std::string fragment;  // with its number sign
};

Uri parts_of(std::string_view text) {
  Uri out;
  const size_t hash = std::min(text.find('#'), text.size());
  out.fragment = text.substr(hash);
  text = text.substr(0, hash);
  const size_t question = std::min(text.find('?'), text.size());
  out.query = text.substr(question);
  text = text.substr(0, question);
  const size_t colon = text.find_first_of(":/");
  if (colon != std::string_view::npos && colon > 0 && text[colon] == ':') {
    out.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const size_t end = std::min(text.find('/', 2), text.size());
    out.authority = text.substr(2, end - 2);
    text.remove_prefix(end);
  }
  out.path = text;
  return out;
}

// Section 5.2.4: "." and ".." as steps of the path are followed.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/', path[0] == '/' ? 1 : 0), path.size());
    const std::string_view segment = path.substr(0, end);
    const std::string_view name = segment.starts_with('/') ? segment.substr(1) : segment;
    path.remove_prefix(end);
    if (name == "..") out.erase(std::min(out.rfind('/'), out.size()));
    if (name != "." && name != "..")
      out += segment;
    else if (path.empty())
      out += '/';
  }
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  Uri r = parts_of(reference);
  if (base.empty() || !r.scheme.empty()) return std::string(reference);
  const Uri b = parts_of(base);
  if (!r.authority) {
    r.authority = b.authority;
    if (r.path.empty()) {
      r.path = b.path;
      if (r.query.empty()) r.query = b.query;
    } else if (!r.path.starts_with('/')) {
      const size_t slash = b.path.rfind('/');
      const std::string folder = slash == std::string::npos ? (b.authority ? "/" : "") : b.path.substr(0, slash + 1);
      r.path = without_dots(folder + r.path);
    } else {
      r.path = without_dots(r.path);
    }
  }
  return b.scheme + (r.authority ? "//" + *r.authority : "") + r.path + r.query + r.fragment;
}

std::string percent_decoded(std::string_view text) {
  const auto hex = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
    out += escape ? static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

}  // namespace skald
