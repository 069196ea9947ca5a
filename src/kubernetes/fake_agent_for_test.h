#pragma once
// An agent of a node in this process: it keeps records that the test makes, and answers as the real
// one does (app/agent). Everything may be called from the test's thread.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "core/run/node_record.h"

namespace ebb::kubernetes {

class FakeAgent {
 public:
  explicit FakeAgent(std::string node, std::string token = "")
      : node_(std::move(node)), token_(std::move(token)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ::ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeAgent() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  static Time At(int second) { return Time{std::chrono::seconds{1'800'000'000 + second}}; }
  /// A record of these seconds after At(0), with nothing in it.
  void Add(int begin, int end) { Add({0, {At(begin), At(end)}, {}}); }
  void Add(core::NodeRecord record) {
    const std::lock_guard lock(mutex_);
    record.number = ++last_;
    records_.push_back(std::move(record));
  }
  /// Drops the oldest records.
  void Drop(std::size_t count) {
    const std::lock_guard lock(mutex_);
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  /// Restarts with the kept records.
  void Restart() {
    const std::lock_guard lock(mutex_);
    epoch_ += "x";
  }
  /// Restarts without records.
  void Forget() {
    Restart();
    const std::lock_guard lock(mutex_);
    records_.clear();
    last_ = 0;
  }
  /// Answers with this status from now on; 0: answers normally.
  void Refuse(int status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  void Answer(std::string body) {
    const std::lock_guard lock(mutex_);
    body_ = std::move(body);
    has_body_ = true;
  }

 private:
  static std::string Query(const std::string& request, const std::string& name) {
    const auto at = request.find(name + "=");
    if (at == std::string::npos) return "";
    const auto begin = at + name.size() + 1;
    return request.substr(begin, request.find_first_of("& ", begin) - begin);
  }
  std::string BodyFor(const std::string& request) const {
    if (has_body_) return body_;
    const bool by_number = Query(request, "epoch") == epoch_;
    const auto after = ParseInteger(Query(request, "after")).value_or(0);
    const Time since{Duration{ParseInteger(Query(request, "since_ms")).value_or(0)}};
    std::string body = ToFieldText(core::NodeRecordsHead{
        node_, epoch_, records_.empty() ? last_ + 1 : records_.front().number, last_});
    body += '\n';
    for (const core::NodeRecord& record : records_)
      if (by_number ? record.number > after : record.wall.end > since)
        body += ToFieldText(record) + "\n";
    return body;
  }
  void Serve() {
    for (;;) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      std::string request;
      char bytes[4096];
      for (ssize_t got = 1; got > 0 && request.find("\r\n\r\n") == std::string::npos;)
        if ((got = ::read(socket, bytes, sizeof bytes)) > 0)
          request.append(bytes, static_cast<std::size_t>(got));
      std::string answer;
      {
        const std::lock_guard lock(mutex_);
        const bool may = token_.empty() || request.find("Authorization: Bearer " + token_ +
                                                        "\r\n") != std::string::npos;
        const int status = !may ? 401 : status_ != 0 ? status_ : 200;
        const std::string body = status == 200 ? BodyFor(request) : "";
        answer = "HTTP/1.1 " + std::to_string(status) +
                 " X\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body;
      }
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t done = ::write(socket, answer.data() + sent, answer.size() - sent);
        if (done <= 0) break;
        sent += static_cast<std::size_t>(done);
      }
      ::close(socket);
    }
  }

  std::string node_, token_, epoch_ = "e";
  int listener_ = -1, port_ = 0;
  std::mutex mutex_;
  std::vector<core::NodeRecord> records_;
  std::int64_t last_ = 0;
  int status_ = 0;
  std::string body_;
  bool has_body_ = false;
  std::thread thread_;
};

}  // namespace ebb::kubernetes
