// A client that needs little time compared with the service it measures. Each of its connections
// submits the next job when the last one is answered. Prints submissions per second and the times
// of the answers. Run by bench/serve.
//
//   submission_load PORT TOKENFILE SUBMISSIONS CONNECTIONS [KEYS]    KEYS: of every job, as JSON
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Give(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Connection {
  int socket = -1;
  std::string answer;
  Clock::time_point asked;
};

class Load {
 public:
  Load(int port, const std::string& token, const std::string& keys, long total)
      : left_(total), port_(port) {
    const std::string body = R"({"command":["true"],"duration":"1s")" + keys + "}";
    request_ =
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
  }

  void Run(std::size_t count) {
    const int events = ::epoll_create1(0);
    connections_.resize(count);
    const Clock::time_point began = Clock::now();
    for (Connection& connection : connections_) {
      Connect(connection);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &connection;
      if (::epoll_ctl(events, EPOLL_CTL_ADD, connection.socket, &event) != 0) Give("epoll_ctl");
      Ask(connection);
    }
    std::array<epoll_event, 64> ready{};
    while (waiting_ > 0) {
      const int some = ::epoll_wait(events, ready.data(), ready.size(), 60'000);
      if (some <= 0) Give("no answer");
      for (int i = 0; i < some; ++i)
        Hear(*static_cast<Connection*>(ready[static_cast<std::size_t>(i)].data.ptr));
    }
    Print(std::chrono::duration<double>(Clock::now() - began).count());
  }

 private:
  void Connect(Connection& connection) const {
    connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      Give("connect");
  }

  void Ask(Connection& connection) {
    if (left_ == 0) return;
    --left_;
    ++waiting_;
    connection.asked = Clock::now();
    connection.answer.clear();
    if (::send(connection.socket, request_.data(), request_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request_.size()))
      Give("send");
  }

  // An answer is complete at the end of a line, and its head must say 201.
  void Hear(Connection& connection) {
    std::array<char, 4096> part;
    const ssize_t size = ::recv(connection.socket, part.data(), part.size(), 0);
    if (size <= 0) {
      std::fprintf(stderr, "closed after %zu answers, %ld wait: %s\n", milliseconds_.size(),
                   waiting_, connection.answer.c_str());
      std::exit(1);
    }
    connection.answer.append(part.data(), static_cast<std::size_t>(size));
    const auto body = connection.answer.find("\r\n\r\n");
    if (body == std::string::npos || connection.answer.find('\n', body + 4) == std::string::npos)
      return;
    if (!connection.answer.starts_with("HTTP/1.1 201")) {
      std::fprintf(stderr, "%s\n", connection.answer.c_str());
      std::exit(1);
    }
    --waiting_;
    milliseconds_.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - connection.asked).count());
    Ask(connection);
  }

  void Print(double seconds) {
    std::sort(milliseconds_.begin(), milliseconds_.end());
    const auto at = [&](double share) {
      return milliseconds_[static_cast<std::size_t>(share *
                                                    static_cast<double>(milliseconds_.size() - 1))];
    };
    std::printf("%.0f/s over %zu connections; p50 %.1f ms, p99 %.1f ms, worst %.1f ms\n",
                static_cast<double>(milliseconds_.size()) / seconds, connections_.size(), at(0.5),
                at(0.99), at(1));
  }

  long left_;
  long waiting_ = 0;
  int port_;
  std::string request_;
  std::vector<Connection> connections_;
  std::vector<double> milliseconds_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 5) {
    std::fprintf(stderr, "submission_load PORT TOKENFILE SUBMISSIONS CONNECTIONS [KEYS]\n");
    return 2;
  }
  std::string token;
  std::getline(std::ifstream(words[2]), token);
  Load load(std::atoi(words[1]), token, count > 5 ? words[5] : "", std::atol(words[3]));
  load.Run(static_cast<std::size_t>(std::atoi(words[4])));
}
