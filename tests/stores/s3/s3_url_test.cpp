// Addresses of buckets, keys to them, and their errors.
#include "stores/s3/s3_url.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "stores/s3/s3_error.h"
#include "stores/s3/s3_keys.h"
#include "tests/support/temp_dir.h"

namespace skald::s3_url_test {
namespace {

Environment with(std::map<std::string, std::string> all) {
  return [all = std::move(all)](const char* name) {
    const auto at = all.find(name);
    return at == all.end() ? nullptr : at->second.c_str();
  };
}

S3Address address(const std::string& url, const std::map<std::string, std::string>& environment = {}) {
  return s3_address(read_store_url(url), with(environment));
}

TEST(S3Url, IsOfAmazonUnlessItNamesAnEndpoint) {
  EXPECT_EQ(address("s3://bucket").base, "https://bucket.s3.us-east-1.amazonaws.com/");
  EXPECT_EQ(address("s3://bucket/a/b/?region=eu-west-1").base, "https://bucket.s3.eu-west-1.amazonaws.com/a/b/");
  EXPECT_EQ(address("s3://a.bucket").base, "https://s3.us-east-1.amazonaws.com/a.bucket/") << "no certificate has the dot";
  const S3Address own = address("s3://bucket/p?endpoint=http://localhost:9000/&region=garage");
  EXPECT_EQ(own.base, "http://localhost:9000/bucket/p/");
  EXPECT_EQ(own.region, "garage");
  EXPECT_EQ(own.label, "s3://bucket/p at http://localhost:9000");
}

TEST(S3Url, TakesTheVariablesOfAmazonsTools) {
  EXPECT_EQ(address("s3://b", {{"AWS_REGION", "eu-north-1"}}).region, "eu-north-1");
  EXPECT_EQ(address("s3://b?region=x", {{"AWS_REGION", "eu-north-1"}}).region, "x");
  EXPECT_EQ(address("s3://b", {{"AWS_ENDPOINT_URL", "https://store:1"}}).base, "https://store:1/b/");
}

TEST(S3Url, RefusesWhatItCannotMean) {
  for (const char* url : {"s3://", "s3://a_b%20c", "s3://b/a%20b", "s3://key:secret@b", "s3://b:80",
                          "s3://b?endpoint=ftp://x", "s3://b?region=a/b", "s3://b?size=1"})
    EXPECT_THROW(address(url), Error) << url;
}

TEST(S3Keys, AreThoseOfTheEnvironmentOrOfAFile) {
  const test::TempDir dir;
  const std::string file = dir.write("credentials",
                                     "[default]\naws_access_key_id = one\naws_secret_access_key=first\n\n"
                                     "[ other ]\r\naws_access_key_id=two\r\naws_secret_access_key = second==\r\n"
                                     "aws_session_token = t\r\n");
  const auto keys = [](const std::map<std::string, std::string>& all) { return s3_keys(with(all)); };
  EXPECT_EQ(keys({{"AWS_ACCESS_KEY_ID", "a"}, {"AWS_SECRET_ACCESS_KEY", "b"}, {"AWS_SESSION_TOKEN", "c"}}).token, "c");
  EXPECT_EQ(keys({{"AWS_SHARED_CREDENTIALS_FILE", file}}).secret, "first");
  const S3Keys other = keys({{"AWS_SHARED_CREDENTIALS_FILE", file}, {"AWS_PROFILE", "other"}});
  EXPECT_EQ(other.id, "two");
  EXPECT_EQ(other.secret, "second==");
  EXPECT_EQ(other.token, "t");
  EXPECT_THROW(keys({{"HOME", "/nowhere"}}), Error);
  EXPECT_THROW(keys({{"AWS_SHARED_CREDENTIALS_FILE", file}, {"AWS_PROFILE", "none"}}), Error);
}

TEST(S3Error, SaysWhatTheServerSaid) {
  const auto error = [](const std::string& body) {
    const auto bytes = std::as_bytes(std::span(body));
    return s3_error({.status = 403, .body = {bytes.begin(), bytes.end()}});
  };
  EXPECT_EQ(error("<Error><Code>SignatureDoesNotMatch</Code><Message>It\ndiffers</Message></Error>"),
            "status 403 SignatureDoesNotMatch: It\\ndiffers");
  EXPECT_EQ(error("<Code>half"), "status 403");
  EXPECT_EQ(error(""), "status 403");
}

}  // namespace
}  // namespace skald::s3_url_test
