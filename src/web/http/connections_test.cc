#include "web/http/connections.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <map>
#include <memory>

namespace ebb::web {
namespace {

using std::chrono::seconds;

// Peers by address (127.0.0.N) on sockets that are handed to a Connections.
class ConnectionsTest : public ::testing::Test {
 protected:
  ConnectionsTest() : listening_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(::listen(listening_, 64), 0);
    EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  ~ConnectionsTest() override {
    all_.reset();
    for (const int peer : peers_) ::close(peer);
    ::close(listening_);
  }

  // Each connection sends its number, then reads until the server hangs up. A connection that
  // begins with 'w' is being worked on until let_go_.
  void Start(std::size_t threads, std::size_t most = 100) {
    ConnectionsOptions options;
    options.threads = threads;
    options.most = most;
    options.least_idle = options.least_held_up = std::chrono::milliseconds{0};
    if (looks_)
      options.has_request = [](int socket) {
        char what = 0;
        return ::recv(socket, &what, 1, MSG_PEEK | MSG_DONTWAIT) == 1 && what == 'r';
      };
    all_ = std::make_unique<Connections>(options, [this](Connection& connection) {
      char what = 0;
      if (::recv(connection.socket(), &what, 1, 0) != 1) return;
      std::ignore = ::send(connection.socket(), "s", 1, MSG_NOSIGNAL);
      if (what == 'w') return go_.wait();
      if (what == 'i') connection.SetIdle();
      // A digit: the peer has held the connection up for so many seconds already.
      if (what != 'i') connection.SetHeldUp(Connection::Clock::now() - seconds{what - '0'});
      std::ignore = ::send(connection.socket(), "h", 1, MSG_NOSIGNAL);
      while (::recv(connection.socket(), &what, 1, 0) > 0) {
      }
    });
  }
  // Returns the index of the new peer.
  std::size_t Connect(char what, int host = 1) {
    const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + static_cast<unsigned>(host));
    EXPECT_EQ(::bind(peer, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
    EXPECT_EQ(::connect(peer, reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::send(peer, &what, 1, MSG_NOSIGNAL), 1);
    peers_.push_back(peer);
    all_->Add(::accept(listening_, nullptr, nullptr));
    return peers_.size() - 1;
  }
  // The next byte that the peer receives: 's' served, 'h' held up, 'x' hung up, '-' nothing for a
  // while.
  char Hears(std::size_t index, int patience_ms = 10'000) {
    pollfd ready{peers_[index], POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return '-';
    char heard = 0;
    return ::recv(peers_[index], &heard, 1, 0) == 1 ? heard : 'x';
  }
  // Connects a peer and waits until its connection has a thread and hangs.
  std::size_t Hang(char what, int host = 1) {
    const std::size_t index = Connect(what, host);
    EXPECT_EQ(Hears(index), 's');
    EXPECT_EQ(Hears(index), 'h');
    return index;
  }

  bool looks_ = false;  // connections that begin with 'r' count as having a request
  int listening_;
  sockaddr_in address_{};
  std::vector<int> peers_;
  std::promise<void> let_go_;
  std::shared_future<void> go_ = let_go_.get_future().share();
  std::unique_ptr<Connections> all_;
};

TEST_F(ConnectionsTest, TheOneThatHangsLongestGoesForOneThatComes) {
  Start(3);
  const auto young = Hang('1'), old = Hang('9'), middle = Hang('5');
  const auto next = Connect('0');
  EXPECT_EQ(Hears(next), 's');
  EXPECT_EQ(Hears(old), 'x');
  EXPECT_EQ(Hears(young, 50), '-');
  EXPECT_EQ(Hears(middle, 50), '-');
}

TEST_F(ConnectionsTest, ThoseBetweenRequestsGoFirst) {
  Start(2);
  const auto slow = Hang('9'), idle = Hang('i');
  EXPECT_EQ(Hears(Connect('0')), 's');
  EXPECT_EQ(Hears(idle), 'x');
  EXPECT_EQ(Hears(slow, 50), '-');
}

TEST_F(ConnectionsTest, AnAddressWithManyLosesOneBeforeAnAddressWithFew) {
  Start(3);
  const auto alone = Hang('9', 2), one = Hang('2', 3), other = Hang('1', 3);
  EXPECT_EQ(Hears(Connect('0', 4)), 's');
  EXPECT_EQ(Hears(one), 'x');
  EXPECT_EQ(Hears(alone, 50), '-');
  EXPECT_EQ(Hears(other, 50), '-');
}

TEST_F(ConnectionsTest, WhatIsWorkedOnIsNeverHungUpOn) {
  Start(1);
  const auto first = Connect('w');
  EXPECT_EQ(Hears(first), 's');
  const auto next = Connect('0');
  EXPECT_TRUE(all_->SomeWait());
  all_->Relieve();
  EXPECT_EQ(Hears(next, 50), '-');
  EXPECT_EQ(Hears(first, 50), '-');
  let_go_.set_value();
  EXPECT_EQ(Hears(next), 's');
}

TEST_F(ConnectionsTest, AsManyAsThereAreThreadsDoNotWait) {
  Start(2);
  Hang('1');
  Connect('1');
  EXPECT_FALSE(all_->SomeWait());
}

TEST_F(ConnectionsTest, OneWithARequestGoesBeforeThoseThatSayNothing) {
  looks_ = true;
  Start(1, 3);
  const auto first = Connect('w');
  EXPECT_EQ(Hears(first), 's');
  const auto silent = Connect('1'), also_silent = Connect('2');
  const auto asks = Connect('r');
  EXPECT_EQ(Hears(silent), 'x') << "it has waited longest, and there is room for three";
  let_go_.set_value();
  EXPECT_EQ(Hears(asks), 's');
  EXPECT_NE(Hears(also_silent, 50), 'x');
}

TEST_F(ConnectionsTest, BeyondTheLimitIsClosedAtOnce) {
  Start(1, 2);
  const auto first = Connect('w');
  EXPECT_EQ(Hears(first), 's');
  const auto second = Connect('0'), third = Connect('0');
  EXPECT_EQ(Hears(third), 'x');
  let_go_.set_value();
  EXPECT_EQ(Hears(second), 's');
}

}  // namespace
}  // namespace ebb::web
