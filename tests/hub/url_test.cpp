// URLs: https, or http on this machine; redirects never lead to less.
#include "hub/url.h"

#include <gtest/gtest.h>

#include "hub/content_range.h"
#include "hub/link_header.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(Url, IsOfHttpsOrOfThisMachine) {
  for (const char* url : {"https://huggingface.co", "https://mirror.example:8443/hf", "http://localhost:80",
                          "http://127.0.0.1:1", "http://127.8.9.1/x", "http://[::1]:5000/x"})
    EXPECT_NO_THROW(check_url(url)) << url;
  for (const char* url : {"http://huggingface.co", "http://127.0.0.1.evil.com", "http://localhost.evil.com",
                          "http://10.0.0.1", "http://128.0.0.1", "ftp://localhost/x", "file:///etc/passwd", "huggingface.co",
                          "", "https://", "https://user:secret@huggingface.co", "http://localhost@evil.com"})
    EXPECT_EQ(test::error_of([&] { check_url(url); }).code(), Errc::kBadInput) << url;
}

TEST(Url, OfTheOperatorMayBeOfHttpAnywhere) {
  for (const char* url : {"https://a.example/mcp", "http://a.example/mcp", "http://10.0.0.1:80/x?y=z"})
    EXPECT_NO_THROW(check_web_url(url)) << url;
  for (const char* url :
       {"ftp://localhost/x", "file:///etc/passwd", "a.example", "", "http://", "http://me:secret@a.example"})
    EXPECT_EQ(test::error_of([&] { check_web_url(url); }).code(), Errc::kBadInput) << url;
}

TEST(Url, WithAPasswordIsNotShown) {
  const Error e = test::error_of([] { check_url("https://me:secret@huggingface.co"); });
  EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos);
}

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_EQ(origin_of("https://huggingface.co/api?x=1"), "https://huggingface.co:443");
  EXPECT_EQ(origin_of("http://localhost/x"), "http://localhost:80");
  EXPECT_NE(origin_of("http://127.0.0.1:80"), origin_of("http://127.0.0.1:81"));
}

TEST(Following, LeadsToRelativeAndOtherPlaces) {
  EXPECT_EQ(follow("https://a.co/x/y?q=1", "/z"), "https://a.co/z");
  EXPECT_EQ(follow("https://a.co/x/y", "z?c=2"), "https://a.co/x/z?c=2");
  EXPECT_EQ(follow("https://a.co/x", "https://b.co/f?sig=a%20b"), "https://b.co/f?sig=a%20b");
  EXPECT_EQ(follow("http://localhost:1/x", "https://b.co/f"), "https://b.co/f");
}

TEST(Following, NeverLeadsToLess) {
  for (const char* to :
       {"http://a.co/x", "http://localhost/x", "ftp://a.co/x", "file:///etc/passwd", "https://u:p@b.co/", "//"})
    EXPECT_EQ(test::error_of([&] { follow("https://a.co/y", to); }).code(), Errc::kBadFile) << to;
  EXPECT_EQ(test::error_of([&] { follow("http://127.0.0.1:1/y", "http://10.0.0.1/x"); }).code(), Errc::kBadFile);
}

TEST(PercentEncoding, KeepsWhatUrlsHold) {
  EXPECT_EQ(percent_encoded("a-b_c.d~e/f", true), "a-b_c.d~e/f");
  EXPECT_EQ(percent_encoded("refs/pr/1", false), "refs%2Fpr%2F1");
  EXPECT_EQ(percent_encoded("a b?#%&\xc3\xa8", true), "a%20b%3F%23%25%26%C3%A8");
}

TEST(NextLink, IsTheTargetWithThatRelation) {
  EXPECT_EQ(next_link("<https://a.co/x?cursor=1>; rel=\"next\""), "https://a.co/x?cursor=1");
  EXPECT_EQ(next_link("<a>; rel=\"prev\", <b>; title=\"x, <y>; rel=next\"; rel=next"), "b");
  EXPECT_EQ(next_link("<a>;REL=\"Next\";x=y"), "a");
  for (const char* none : {"", "<a>", "<a>; rel=\"nextest\"", "a; rel=next", "<a; rel=next", "<a>; rel=\"prev\""})
    EXPECT_EQ(next_link(none), "") << none;
}

TEST(ContentRange, MustBeginWhereItWasAskedTo) {
  for (const char* right : {"bytes 100-199/200", "bytes 100-150/200", "bytes 100-199/*"})
    EXPECT_NO_THROW(check_content_range(right, 100, 200)) << right;
  for (const char* wrong : {"", "bytes 0-199/200", "bytes 100-199/300", "bytes 100-200/200", "bytes */200", "100-199/200",
                            "bytes 100-199/200x", "bytes 100-", "bytes 99999999999999999999-1/2"})
    EXPECT_EQ(test::error_of([&] { check_content_range(wrong, 100, 200); }).code(), Errc::kBadFile) << wrong;
}

}  // namespace
}  // namespace skald
