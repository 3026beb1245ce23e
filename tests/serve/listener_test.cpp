// Where the server listens.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "serve/http/systemd.h"
#include "tests/serve/http_client.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::serve_test {
namespace {

using test::error_of;
using test::TempDir;
using ::testing::HasSubstr;

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof(at.sun_path) - 1);
  return at;
}

int connect_unix(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un at = unix_address(path);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0) return fd;
  ::close(fd);
  return -1;
}

// A socket on which no server listens any more.
void leave_stale_socket(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un at = unix_address(path);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)), 0);
  ::close(fd);
}

std::string message_of(const HttpOptions& options) {
  return error_of([&] { HttpServer server(options, echo, plain_refusal); }).what();
}

TEST(Listeners, TakeAnyFreePortAndSayWhich) {
  RunningServer server;
  EXPECT_THAT(server->address(), ::testing::MatchesRegex("http://127\\.0\\.0\\.1:[1-9][0-9]*"));
  HttpOptions named;
  named.host = "localhost";
  EXPECT_GT(RunningServer(named).port(), 0);
}

TEST(Listeners, NameHostAndPortThatAreTaken) {
  RunningServer server;
  HttpOptions options;
  options.port = server.port();
  EXPECT_THAT(message_of(options),
              HasSubstr("cannot listen on 127.0.0.1:" + std::to_string(options.port) + ": Address already in use"));
  options.port = 65536;
  EXPECT_THAT(message_of(options), HasSubstr("want a port of 0 to 65535"));
  options.port = 0;
  options.host = "203.0.113.1";  // TEST-NET-3: of no machine
  EXPECT_THAT(message_of(options), HasSubstr("cannot listen on 203.0.113.1:"));
}

TEST(Listeners, ServeAUnixSocketOfMode600AndRemoveIt) {
  const TempDir folder;
  HttpOptions options;
  options.host = folder.path("s.sock");
  {
    RunningServer server(options);
    EXPECT_EQ(server->address(), "unix:" + options.host);
    struct stat found = {};
    ASSERT_EQ(::lstat(options.host.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U);
    Client client(connect_unix(options.host));
    EXPECT_EQ(body_of(client.ask(kGet)), "GET /s []");
    EXPECT_THAT(message_of(options), HasSubstr(options.host + ": another process does"));
  }
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Listeners, ReplaceAStaleSocketAndNothingElse) {
  const TempDir folder;
  HttpOptions options;
  options.host = folder.path("s.sock");
  leave_stale_socket(options.host);
  {
    RunningServer server(options);
    Client client(connect_unix(options.host));
    EXPECT_EQ(body_of(client.ask(kGet)), "GET /s []");
  }
  options.host = folder.write("file.sock", "precious");
  EXPECT_THAT(message_of(options), HasSubstr("it exists and is no socket"));
  EXPECT_EQ(folder.files(), 1U);
  options.host = folder.path(std::string(200, 'a') + ".sock");
  EXPECT_THAT(message_of(options), HasSubstr("at most 107 bytes"));
  options.host = folder.path("none/s.sock");
  EXPECT_THAT(message_of(options), HasSubstr("No such file"));
}

TEST(Listeners, LeaveASocketThatTookTheirPlace) {
  const TempDir folder;
  HttpOptions options;
  options.host = folder.path("s.sock");
  {
    RunningServer server(options);
    ASSERT_EQ(::unlink(options.host.c_str()), 0);
    leave_stale_socket(options.host);
  }
  EXPECT_EQ(folder.files(), 1U);
}

TEST(Listeners, TakeASocketThatIsOpen) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  HttpOptions options;
  options.listening = fd;
  EXPECT_THAT(message_of(options), HasSubstr("is no listening socket"));  // and closes it
  options.listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(options.listening, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  ASSERT_EQ(::listen(options.listening, 8), 0);
  RunningServer server(options);
  Client client(server);
  EXPECT_EQ(body_of(client.ask(kGet)), "GET /s []");
}

class Systemd : public ::testing::Test {
 protected:
  ~Systemd() override {
    for (const char* name : {"LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET"}) ::unsetenv(name);
  }
};

TEST_F(Systemd, PassesTheThirdDescriptorToTheProcessItNames) {
  EXPECT_FALSE(serve::systemd_socket());
  ::setenv("LISTEN_FDS", "1", 1);
  EXPECT_EQ(serve::systemd_socket(), 3);
  ::setenv("LISTEN_PID", "1", 1);
  EXPECT_FALSE(serve::systemd_socket());
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(serve::systemd_socket(), 3);
  ::setenv("LISTEN_FDS", "0", 1);
  EXPECT_FALSE(serve::systemd_socket());
  ::setenv("LISTEN_FDS", "2", 1);
  EXPECT_THAT(error_of([] { serve::systemd_socket(); }).what(), HasSubstr("LISTEN_FDS=2"));
}

TEST_F(Systemd, IsToldByItsSocketOfAnyKind) {
  serve::notify("READY=1");  // no socket is set
  const TempDir folder;
  for (const std::string& name : {folder.path("notify"), "@skald-test-" + std::to_string(::getpid())}) {
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un at = unix_address(name);
    if (name[0] == '@') at.sun_path[0] = '\0';
    ASSERT_EQ(
        ::bind(fd, reinterpret_cast<sockaddr*>(&at), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
        0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    serve::notify("READY=1");
    std::string got(100, '\0');
    const ssize_t size = ::recv(fd, got.data(), got.size(), MSG_DONTWAIT);
    EXPECT_EQ(got.substr(0, static_cast<size_t>(std::max<ssize_t>(size, 0))), "READY=1");
    ::close(fd);
  }
  serve::notify("STOPPING=1");  // no reader is there any more
}

}  // namespace
}  // namespace skald::serve_test
