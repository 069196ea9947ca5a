#include "platform/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "platform/http.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

class UnixSocketTest : public ::testing::Test {
 protected:
  const Path directory_ = ScratchDirectory("socket");
};

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

// A server that gives one answer to every request and keeps the request.
class Server {
 public:
  explicit Server(int listening) : thread_([this, listening] { Serve(listening); }) {}
  std::string Asked() {
    thread_.join();
    return asked_;
  }

 private:
  void Serve(int listening) {
    const int accepted = ::accept(listening, nullptr, nullptr);
    char asked[4096] = "";
    if (::read(accepted, asked, sizeof asked - 1) > 0) {
      asked_ = asked;
      std::ignore = ::write(accepted, kAnswer.data(), kAnswer.size());
    }
    ::close(accepted);
    ::close(listening);
  }
  std::string asked_;
  std::thread thread_;
};

HttpRequest RequestTo(const Path& path, uid_t owner = ::geteuid()) {
  HttpRequest request;
  request.url = "http://localhost/where";
  request.headers = {"Authorization: Bearer t"};
  request.direct = true;
  request.unix_socket = path.string();
  request.socket_owner = owner;
  return request;
}

TEST_F(UnixSocketTest, LeadsToWhoListensAndNobodyElseMayConnect) {
  const Path path = directory_ / "s";
  const auto listening = ListenAt(path);
  ASSERT_TRUE(listening) << listening.error().Message();
  struct stat facts {};
  ASSERT_EQ(::lstat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  Server server(*listening);
  const auto answer = HttpGet(RequestTo(path));
  ASSERT_TRUE(answer) << answer.error().Message();
  EXPECT_EQ(answer->body, "hello");
  const std::string asked = server.Asked();
  EXPECT_NE(asked.find("GET /where HTTP/1.1"), std::string::npos) << asked;
  EXPECT_NE(asked.find("Host: localhost"), std::string::npos) << asked;
  EXPECT_NE(asked.find("Authorization: Bearer t"), std::string::npos) << asked;
}

TEST_F(UnixSocketTest, ALongPathIsNoObstacle) {
  Path path = directory_;
  for (int i = 0; i < 8; ++i) path /= std::string(60, 'd');
  std::filesystem::create_directories(path);
  path /= "ebb.db.sock";
  const auto listening = ListenAt(path);
  ASSERT_TRUE(listening) << listening.error().Message();
  Server server(*listening);
  EXPECT_TRUE(HttpGet(RequestTo(path)));
  server.Asked();
  EXPECT_FALSE(ListenAt(directory_ / std::string(200, 'n')));
}

TEST_F(UnixSocketTest, WhatADeadOneLeftIsReplacedAndNothingElse) {
  const Path path = directory_ / "s";
  ::close(*ListenAt(path));
  const auto nobody = HttpGet(RequestTo(path));
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().what, "nobody answers: Connection refused");
  EXPECT_EQ(nobody.error().where, path.string());
  const auto listening = ListenAt(path);
  ASSERT_TRUE(listening);
  ::close(*listening);
  std::ofstream(directory_ / "file") << "mine";
  EXPECT_FALSE(ListenAt(directory_ / "file"));
  EXPECT_TRUE(std::filesystem::is_regular_file(directory_ / "file"));
}

// Another user has put a socket there. Ebb sends it no byte.
TEST_F(UnixSocketTest, AnotherUserWhoListensIsNotSpokenTo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr uid_t kOther = 12345;
  std::filesystem::permissions(directory_, std::filesystem::perms::all);
  for (const auto& [owner, is_told] : {std::pair<uid_t, bool>{54321, false}, {kOther, true}}) {
    const Path path = directory_ / std::to_string(owner);
    ASSERT_EQ(::seteuid(kOther), 0);
    const auto listening = ListenAt(path);
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_TRUE(listening) << listening.error().Message();
    Server server(*listening);
    const auto answer = HttpGet(RequestTo(path, owner));
    EXPECT_EQ(answer.has_value(), is_told);
    EXPECT_EQ(server.Asked().empty(), !is_told);
    if (!answer) {
      EXPECT_NE(answer.error().what.find("user 12345 listens there"), std::string::npos)
          << answer.error().what;
    }
  }
}

}  // namespace
}  // namespace ebb::platform
