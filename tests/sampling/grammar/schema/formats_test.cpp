// The formats that are enforced, by texts of their standards' kinds.
#include "sampling/grammar/schema/formats.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skald {
namespace {

struct Format {
  const char* name;
  std::vector<std::string> good, bad;
};

TEST(Formats, TakeWhatTheirStandardsTake) {
  const std::vector<Format> formats = {
      {"date",
       {"2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01"},
       {"2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "24-01-01", "0000-01-01", "2024-1-1"}},
      {"time",
       {"08:30:06Z", "23:59:60Z", "08:30:06.5+00:20", "00:00:00z"},
       {"24:00:00Z", "08:30:60Z", "08:30:06", "8:30:06Z", "08:30:06+24:00"}},
      {"date-time",
       {"2024-02-29T08:30:06.283Z", "1990-12-31t15:59:50-08:00"},
       {"2024-02-30T08:30:06Z", "2024-02-29 08:30:06Z", "2024-02-29T08:30:06"}},
      {"duration", {"P4DT12H30M5S", "P2W", "PT0S", "P1Y2M3D"}, {"P", "PT", "P1Y2W", "P1D2H", "PT1D", "P2D1Y", "1D"}},
      {"email",
       {"joe.bloggs@example.com", "\"joe@x\"@example.com", "a@[127.0.0.1]", "a@[IPv6:::1]"},
       {"2962", ".a@b.c", "a.@b.c", "a..b@c", "a@b=c.d", "a@[300.0.0.1]"}},
      {"hostname",
       {"www.example.com", "xn--4gbwdl.xn--wgbh1c", "1host", std::string(63, 'a')},
       {"-a", "a-", "a_b", "", ".", std::string(64, 'a'), "ab--cd.com"}},
      {"ipv4", {"192.168.0.1", "255.255.255.255"}, {"256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"}},
      {"ipv6",
       {"::", "::1", "1:2:3:4:5:6:7:8", "1::8", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"},
       {"1:2:3:4:5:6:7", "1::2::3", "12345::", ":1", "1:2:3:4:5:6:7:8:9", "1.2.3.4", "fe80::1%eth0"}},
      {"uri",
       {"http://u:p@h:80/a?b#c", "urn:a:b", "mailto:a@b", "http://[::1]/", "a:"},
       {"//h/a", "a", "http://a b", "http://h/%zz", "http://h/<a>", ":a"}},
      {"uuid",
       {"01234567-89ab-CDEF-0123-456789abcdef"},
       {"0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg"}},
  };
  RegexSet regexes;
  StringLanguage strings(regexes);
  for (const Format& f : formats) {
    const RegexId language = *format_language(regexes, strings, f.name);
    for (const std::string& text : f.good) EXPECT_TRUE(regexes.matches(language, spelled(text))) << f.name << " " << text;
    for (const std::string& text : f.bad) EXPECT_FALSE(regexes.matches(language, spelled(text))) << f.name << " " << text;
  }
  EXPECT_FALSE(format_language(regexes, strings, "colour"));
}

TEST(Strings, ComplementsAreWithinWhatJsonCanSpell) {
  RegexSet regexes;
  StringLanguage strings(regexes);
  const RegexId a = strings.text("a\"\n"), rest = strings.complement(a);
  EXPECT_EQ(spelled("a\"\n\x01"), "a\\\"\\n\\u0001");
  EXPECT_TRUE(regexes.matches(a, R"(a\"\n)"));
  for (const char* text : {"", "a", R"(\\)", R"(\u0001)", "日"}) EXPECT_TRUE(regexes.matches(rest, text)) << text;
  for (const char* text : {R"(a\"\n)", "\"", "\n", R"(\x)", "\xff", R"(\u000a)"})
    EXPECT_FALSE(regexes.matches(rest, text)) << text;
  EXPECT_EQ(strings.both(a, rest), regexes.nothing());
  EXPECT_TRUE(regexes.matches(strings.quoted(strings.all()), R"("\u0041\/\ud83d\ude42")"));
  EXPECT_FALSE(regexes.matches(strings.quoted(strings.all()), R"("\ud83d")"));
}

}  // namespace
}  // namespace skald
