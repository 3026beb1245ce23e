// Text for XML: markup, bytes that are no text, characters that XML has not.
#include "tools/report/xml.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(XmlEscaped, LeavesTextAlone) { EXPECT_EQ(xml_escaped("10.5 ± 2 µs, 日本 😀\n"), "10.5 ± 2 µs, 日本 😀\n"); }

TEST(XmlEscaped, EscapesMarkup) {
  EXPECT_EQ(xml_escaped("<a b=\"c\" d='e'>&amp;"), "&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp;");
}

TEST(XmlEscaped, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a\xff"
                        "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(xml_escaped("cut \xe2\x82"), "cut \xEF\xBF\xBD");
  EXPECT_EQ(xml_escaped(std::string("nul\0bell\x07", 9)),
            "nul\xEF\xBF\xBD"
            "bell\xEF\xBF\xBD");
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE"), "\xEF\xBF\xBD") << "U+FFFE is no character";
}

}  // namespace
}  // namespace skald
