// The list of MCP servers: which URLs and headers the operator may give.
#include "serve/mcp/mcp_server.h"

#include <gmock/gmock.h>

#include "tests/support/errors.h"

namespace skald::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(McpServers, AreNamedByTheOperatorOrByTheirHosts) {
  const auto read = [](const char* text) {
    const McpServer server = read_mcp_server(text);
    return server.name + " " + server.url;
  };
  EXPECT_EQ(read("files=http://localhost:8000/mcp?a=b"), "files http://localhost:8000/mcp?a=b");
  EXPECT_EQ(read("http://localhost:8000/mcp?a=b"), "localhost-8000 http://localhost:8000/mcp?a=b");
  EXPECT_EQ(read("HTTPS://[::1]/mcp"), "--1-443 HTTPS://[::1]/mcp");
  EXPECT_EQ(read("lan=http://10.0.0.7/mcp"), "lan http://10.0.0.7/mcp");
}

TEST(McpServers, OfWrongUrlsAndNamesAreRefusedWithoutTheirSecrets) {
  for (const char* wrong : {"", "files", "files=", "files=ftp://a/b", "files=localhost:8000", "=http://a/b",
                            "a/b=http://a/b", "http://", "x=http://me:secret@host/mcp", "https://me:secret@host/mcp",
                            "a-name-of-more-than-32-letters-that-is-too-long=http://a/b"}) {
    const Error e = test::error_of([&] { read_mcp_server(wrong); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << wrong;
    EXPECT_THAT(e.what(), Not(HasSubstr("secret"))) << wrong;
  }
}

TEST(McpHeaders, AreLinesOfAFile) {
  EXPECT_THAT(read_mcp_headers("# for files\nAuthorization:  Bearer abc \r\n\nX-Key: a:b"),
              ElementsAre("Authorization: Bearer abc", "X-Key: a:b"));
}

TEST(McpHeaders, ThatAreNoneOrTheServersOwnAreRefusedWithoutTheirValues) {
  for (const char* wrong :
       {"", "# none\n", "secret", "Key:", ": secret", "K\x01y: secret", "Key: secret\x01", "Key: secret\xc3\xa4",
        "Host: secret", "content-LENGTH: secret", "Mcp-Session-Id: secret", "Transfer-Encoding: secret", "a b: secret"}) {
    const Error e = test::error_of([&] { read_mcp_headers(wrong); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << wrong;
    EXPECT_THAT(e.what(), Not(HasSubstr("secret"))) << wrong;
  }
  std::string many;
  for (int i = 0; i < 17; ++i) many += "Key: x\n";
  EXPECT_EQ(test::error_of([&] { read_mcp_headers(many); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([&] { read_mcp_headers("Key: " + std::string(9000, 'x')); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald::serve
