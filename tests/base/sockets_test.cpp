// Sockets: no waits, no inheritance, no signals; who has left.
#include "base/sockets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

bool is_closed_in_programs(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }
bool waits(int fd) { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0; }

struct Pair {
  std::array<int, 2> ends{-1, -1};
  Pair() { EXPECT_TRUE(connect_pair(ends)); }
  ~Pair() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  void leave() { ::close(std::exchange(ends[1], -1)); }
};

TEST(Sockets, AreClosedInProgramsThatAreStarted) {
  const Pair pair;
  const Descriptor one(open_socket(AF_UNIX, SOCK_STREAM)), quick(open_quick_socket(AF_UNIX, SOCK_STREAM));
  for (const int fd : {pair.ends[0], pair.ends[1], one.get(), quick.get()}) EXPECT_TRUE(is_closed_in_programs(fd));
  EXPECT_TRUE(waits(one.get()));
  EXPECT_FALSE(waits(quick.get()));
}

TEST(Sockets, OfUnknownKindsSayWhyThereAreNone) {
  EXPECT_LT(open_socket(-1, SOCK_STREAM), 0);
  EXPECT_NE(errno, 0);
  EXPECT_LT(open_quick_socket(-1, SOCK_STREAM), 0);
}

TEST(AcceptSocket, DoesNotWait) {
  const Descriptor listening(open_quick_socket(AF_INET, SOCK_STREAM)), client(open_socket(AF_INET, SOCK_STREAM));
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(at);
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  ASSERT_EQ(::bind(listening.get(), address, size), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  ASSERT_EQ(::getsockname(listening.get(), address, &size), 0);
  sockaddr_storage peer = {};
  socklen_t peer_size = sizeof(peer);
  EXPECT_LT(accept_socket(listening.get(), peer, peer_size), 0);
  ASSERT_EQ(::connect(client.get(), address, size), 0);
  pollfd state{.fd = listening.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&state, 1, 5000), 1);
  peer_size = sizeof(peer);
  const Descriptor accepted(accept_socket(listening.get(), peer, peer_size));
  ASSERT_GE(accepted.get(), 0);
  EXPECT_EQ(peer.ss_family, AF_INET);
  EXPECT_TRUE(is_closed_in_programs(accepted.get()));
  EXPECT_FALSE(waits(accepted.get()));
  probe_peer(accepted.get(), {.after = 60, .every = 15, .count = 4, .unread = 1000});
  int on = 0;
  socklen_t bytes = sizeof(on);
  ASSERT_EQ(::getsockopt(accepted.get(), SOL_SOCKET, SO_KEEPALIVE, &on, &bytes), 0);
  EXPECT_NE(on, 0);
}

TEST(BindPrivate, MakesAFileThatNoOtherUserOpens) {
  const test::TempDir dir;
  const std::string path = dir.path("s.sock");
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof(at.sun_path));
  std::memcpy(at.sun_path, path.data(), path.size());
  const Descriptor fd(open_socket(AF_UNIX, SOCK_STREAM)), second(open_socket(AF_UNIX, SOCK_STREAM));
  const auto* const address = reinterpret_cast<const sockaddr*>(&at);
  ASSERT_TRUE(bind_private(fd.get(), address, sizeof(at)));
  struct stat made = {};
  ASSERT_EQ(::stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0077, 0U);
  EXPECT_FALSE(bind_private(second.get(), address, sizeof(at)));
  EXPECT_EQ(errno, EADDRINUSE);
  const mode_t mask = ::umask(022);
  ::umask(mask);
  EXPECT_NE(mask, 0177U);
}

TEST(NoSignal, KeepsAPeerThatHasLeftFromEndingTheProgram) {
  Pair pair;
  pair.leave();
  const char byte = 0;
  EXPECT_LT(::send(pair.ends[0], &byte, 1, kNoSignal), 0);
  EXPECT_EQ(errno, EPIPE);
}

TEST(PeerHasLeft, IsTrueOnceItSendsNoMore) {
  Pair pair;
  EXPECT_FALSE(peer_has_left(pair.ends[0]));
  ASSERT_EQ(::write(pair.ends[1], "x", 1), 1);
  EXPECT_FALSE(peer_has_left(pair.ends[0]));
  char byte = 0;
  ASSERT_EQ(::read(pair.ends[0], &byte, 1), 1);
  pair.leave();
  EXPECT_TRUE(peer_has_left(pair.ends[0]));
}

}  // namespace
}  // namespace skald
