#include "sampling/grammar/schema/formats.h"

#include <fmt/format.h>

#include <string>

#include "sampling/grammar/regex_parser.h"

namespace skald {
namespace {

// RFC 3339, section 5.6; no year 0000, which few programs read.
std::string date() {
  const std::string year = R"((?:[1-9]\d{3}|0[1-9]\d\d|00[1-9]\d|000[1-9]))";
  const std::string day28 = R"((?:0[1-9]|1\d|2[0-8]))";
  const std::string any_year =
      fmt::format("{0}-(?:(?:0[13-9]|1[0-2])-(?:29|30|{1})|(?:0[13578]|1[02])-31|02-{1})", year, day28);
  const std::string leap = R"((?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00))";
  return fmt::format("(?:{}|{}-02-29)", any_year, leap);
}

// A leap second is the last one of a day of UTC, and taken where the offset is written as zero.
std::string time() {
  const std::string clock = R"((?:[01]\d|2[0-3]):[0-5]\d)", fraction = R"((?:\.\d+)?)";
  return fmt::format("(?:{0}:[0-5]\\d{1}(?:[Zz]|[+-]{0})|23:59:60{1}(?:[Zz]|[+-]00:00))", clock, fraction);
}

// RFC 3339, appendix A.
std::string duration() {
  const std::string time = R"(T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))";
  const std::string date = R"((?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D))";
  return fmt::format("P(?:\\d+W|{0}(?:{1})?|{1})", date, time);
}

// RFC 2673, section 3.2.
std::string ipv4() {
  const std::string byte = R"((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))";
  return fmt::format("{0}(?:\\.{0}){{3}}", byte);
}

// RFC 4291, section 2.2: eight groups, of which :: stands for one or more; the last two may be an IPv4 address.
std::string ipv6() {
  const std::string group = "[0-9A-Fa-f]{1,4}", v4 = ipv4();
  std::string out = fmt::format("(?:(?:{0}:){{7}}{0}|(?:{0}:){{6}}{1}", group, v4);
  for (int left = 0; left <= 7; ++left) {
    out += left == 0 ? "|::" : fmt::format("|{0}(?::{0}){{{1}}}::", group, left - 1);
    const int right = 7 - left;
    if (right >= 1) out += fmt::format("(?:(?:{0}:){{0,{1}}}{0}", group, right - 1);
    if (right >= 2) out += fmt::format("|(?:{0}:){{0,{1}}}{2}", group, right - 2, v4);
    if (right >= 1) out += ")?";
  }
  return out + ")";
}

// RFC 1123, section 2.1: labels of letters, digits and inner hyphens.
std::string label(std::string_view most) { return fmt::format("[0-9A-Za-z](?:[0-9A-Za-z-]{}[0-9A-Za-z])?", most); }

// RFC 5321, section 4.1.2: a dotted or a quoted local part; a domain or an address in brackets.
std::string email() {
  const std::string atom = R"([0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+)";
  const std::string quoted = R"("(?:[ !#-\[\]-~]|\\[ -~])*")";
  const std::string domain = fmt::format("{0}(?:\\.{0})*", label("*"));
  return fmt::format("(?:{0}(?:\\.{0})*|{1})@(?:{2}|\\[{3}\\]|\\[IPv6:{4}\\])", atom, quoted, domain, ipv4(), ipv6());
}

// RFC 3986, appendix A.
std::string uri() {
  const std::string escape = "%[0-9A-Fa-f]{2}", name = R"([0-9A-Za-z._~!$&'()*+,;=-])",
                    path = R"([0-9A-Za-z._~!$&'()*+,;=:@-])";
  const std::string user = fmt::format("(?:(?:{}|:|{})*@)?", name, escape);
  const std::string literal = fmt::format("\\[(?:{}|[Vv][0-9A-Fa-f]+\\.(?:{}|:)+)\\]", ipv6(), name);
  const std::string authority = fmt::format("{0}(?:{1}|(?:{2}|{3})*)(?::\\d*)?", user, literal, name, escape);
  const std::string step = fmt::format("(?:{}|{})", path, escape), steps = fmt::format("(?:/{}*)*", step);
  const std::string hierarchy = fmt::format("(?://{0}{1}|/(?:{2}+{1})?|{2}+{1}|)", authority, steps, step);
  const std::string rest = fmt::format("(?:{}|[/?])*", step);
  return fmt::format("[A-Za-z][0-9A-Za-z+.-]*:{0}(?:\\?{1})?(?:#{1})?", hierarchy, rest);
}

std::string uuid() { return "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"; }

}  // namespace

std::optional<RegexId> format_language(RegexSet& regexes, StringLanguage& strings, std::string_view name) {
  const auto matching = [&](const std::string& expression) {
    const auto spell = [&](RegexSet&, std::span<const CodePointRange> ranges) { return strings.characters(ranges); };
    return parse_regex(regexes, expression, {.dialect = RegexDialect::kEcma, .spell = spell});
  };
  if (name == "date") return matching(date());
  if (name == "time") return matching(time());
  if (name == "date-time") return matching(date() + "[Tt]" + time());
  if (name == "duration") return matching(duration());
  if (name == "email") return matching(email());
  if (name == "hostname") {
    // Hyphens in the third and fourth place are for encoded names alone (RFC 5891, section 4.2.3.1).
    const RegexId reserved = matching(R"((?:[^]*\.)?(?:[^xX.][^.]|[xX][^nN.])--[^]*)");
    const RegexId names = matching(fmt::format("{0}(?:\\.{0})*", label("{0,61}")));
    return strings.minus(strings.both(names, strings.length(1, 253)), reserved);
  }
  if (name == "ipv4") return matching(ipv4());
  if (name == "ipv6") return matching(ipv6());
  if (name == "uri") return matching(uri());
  if (name == "uuid") return matching(uuid());
  return std::nullopt;
}

}  // namespace skald
