#pragma once
// Fixture: the API at an address, over a service of its own, and peers that talk to it.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "service/world_for_test.h"
#include "web/api/api.h"

namespace ebb::web {

inline const std::string kToken(64, 't');

// A peer that sends raw bytes, including those that no client library would send.
class Wire {
 public:
  explicit Wire(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Wire() { ::close(socket_); }
  void Send(const std::string& bytes) {
    std::ignore = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Receives until `text` has come, the peer hangs up, or the patience is over (ten seconds by
  // default).
  std::string ReceiveUntil(const std::string& text, int patience_ms = 10'000) {
    std::string received;
    char buffer[4096];
    pollfd ready{socket_, POLLIN, 0};
    while (text.empty() || received.find(text) == std::string::npos) {
      if (::poll(&ready, 1, patience_ms) <= 0) break;
      const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
      if (size <= 0) break;
      received.append(buffer, static_cast<std::size_t>(size));
    }
    return received;
  }

 private:
  int socket_;
};

struct Reply {
  int status = 0;
  std::string text;
  nlohmann::json body() const {
    const auto end = text.find("\r\n\r\n");
    return nlohmann::json::parse(text.substr(end == std::string::npos ? text.size() : end + 4),
                                 nullptr, false);
  }
};

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.Start();
    ApiOptions options;
    options.access.token = kToken;
    options.metrics.version = "test";
    options.store = world_.store();
    api_ = std::make_unique<Api>(world_.service(), options);
    HttpServerOptions http;
    http.longest_body = 100'000;
    http.patience = std::chrono::seconds{2};
    auto server = HttpServer::Start(http, [this](const HttpRequest& request) {
      ++handled_;
      return api_->Handle(request);
    });
    ASSERT_TRUE(server);
    server_ = std::make_unique<HttpServer>(*std::move(server));
  }
  void TearDown() override { server_.reset(); }

  Reply Raw(const std::string& bytes) {
    Wire wire(server_->port());
    wire.Send(bytes);
    Reply reply{0, wire.ReceiveUntil("")};
    if (reply.text.size() > 12) reply.status = std::atoi(reply.text.substr(9, 3).c_str());
    return reply;
  }
  // The status of the first answer, whether or not the connection stays open.
  int FirstStatus(const std::string& bytes) {
    Wire wire(server_->port());
    wire.Send(bytes);
    const std::string answer = wire.ReceiveUntil("\r\n\r\n");
    wire.ReceiveUntil("", 100);
    return answer.size() > 12 ? std::atoi(answer.substr(9, 3).c_str()) : 0;
  }
  std::string Head(const std::string& method, const std::string& path) {
    return method + " " + path +
           " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + kToken +
           "\r\n";
  }
  Reply Get(const std::string& path) { return Raw(Head("GET", path) + "\r\n"); }
  Reply Post(const std::string& path, const std::string& body = "") {
    return Raw(Head("POST", path) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               body);
  }
  void WaitForLog(core::JobId id, const std::string& text) {
    for (int i = 0; i < 1000; ++i) {
      if (Get("/api/v1/jobs/" + std::to_string(id) + "/log").text.find(text) != std::string::npos)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    FAIL() << "job " << id << " did not print " << text;
  }
  std::string Pausable() {
    return nlohmann::json{{"command",
                           {"bash", "-c",
                            "trap 'exit 75' TERM; echo hello; while :; do sleep 0.02; "
                            "done"}},
                          {"checkpointable", true},
                          {"duration", "10s"}}
        .dump();
  }

  static std::string ASweep(const std::vector<std::string>& jobs) {
    nlohmann::json sweep{{"name", "digits"},
                         {"successive_halving", {{"reduction", 3}, {"epochs", 9}}},
                         {"jobs", nlohmann::json::array()}};
    for (const std::string& job : jobs) sweep["jobs"].push_back(nlohmann::json::parse(job));
    return sweep.dump();
  }

  service::World world_{::testing::UnitTest::GetInstance()->current_test_info()->name()};
  std::atomic<int> handled_{0};
  std::unique_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace ebb::web
