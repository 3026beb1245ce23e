// The probes of a peer that Linux sends.
#include "base/sockets.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/descriptor.h"

namespace skald {
namespace {

TEST(ProbePeer, SetsWhatTheCallerSays) {
  const Descriptor fd(open_socket(AF_INET, SOCK_STREAM));
  probe_peer(fd.get(), {.after = 60, .every = 15, .count = 4, .unread = 7000});
  const auto option = [&](int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    EXPECT_EQ(::getsockopt(fd.get(), IPPROTO_TCP, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(TCP_KEEPIDLE), 60);
  EXPECT_EQ(option(TCP_KEEPINTVL), 15);
  EXPECT_EQ(option(TCP_KEEPCNT), 4);
  EXPECT_EQ(option(TCP_USER_TIMEOUT), 7000);
}

}  // namespace
}  // namespace skald
