// A server with TLS, and peers that use it correctly, badly and slowly.

#include "web/http/tls.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "testing/certificate_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::web {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

int Connect(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const timeval patience{10, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return socket;
}

// A peer that trusts one certificate, or any if it is "".
class Peer {
 public:
  Peer(int port, const std::string& trusted)
      : socket_(Connect(port)), context_(SSL_CTX_new(TLS_client_method())) {
    if (!trusted.empty()) {
      SSL_CTX_load_verify_locations(context_, trusted.c_str(), nullptr);
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    }
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, socket_);
    is_connected_ = SSL_connect(ssl_) == 1;
    ERR_clear_error();
  }
  ~Peer() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool is_connected() const { return is_connected_; }
  void Send(const std::string& bytes) {
    EXPECT_EQ(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  // Receives so many bytes, or fewer if the server ends earlier.
  std::string Receive(std::size_t size) {
    std::string got(size, '\0');
    std::size_t have = 0;
    while (have < size) {
      const int some = SSL_read(ssl_, got.data() + have, static_cast<int>(size - have));
      if (some <= 0) break;
      have += static_cast<std::size_t>(some);
    }
    got.resize(have);
    return got;
  }
  // Receives the head and the body of one answer.
  std::string Answer() {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string next = Receive(1);
      if (next.empty()) return head;
      head += next;
    }
    const auto at = head.find("Content-Length: ");
    return head + (at == std::string::npos ? "" : Receive(std::stoul(head.substr(at + 16))));
  }
  std::string Ask(const std::string& body) {
    Send(Request(body));
    return Answer();
  }
  static std::string Request(const std::string& body) {
    return "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

 private:
  int socket_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  bool is_connected_ = false;
};

// An echo server whose certificate lies in a folder as a kubelet mounts a Secret: its names lead
// through a link, which is replaced.
class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    Mount(first_);
    fs::create_symlink("data/tls.crt", folder_ / "tls.crt");
    fs::create_symlink("data/tls.key", folder_ / "tls.key");
    options_.tls = Files();
    options_.patience = std::chrono::seconds{2};
    options_.longest_body = 4 << 20;
    options_.threads = 8;
  }
  TlsFiles Files() {
    return {folder_ / "tls.crt", folder_ / "tls.key", [this](const std::string& text) {
              const std::lock_guard guard(mutex_);
              said_.push_back(text);
            }};
  }
  void Start() {
    auto server = HttpServer::Start(options_, [](const HttpRequest& request) {
      return HttpResponse{.content_type = "text/plain", .body = request.body};
    });
    ASSERT_TRUE(server) << server.error().Message();
    server_ = std::make_unique<HttpServer>(*std::move(server));
  }
  static void Write(const fs::path& file, const fs::path& from) {
    fs::copy_file(from, file, fs::copy_options::overwrite_existing);
  }
  void Mount(const Certificate& pair) { Mount(pair.pem_file, pair.key_file); }
  void Mount(const fs::path& certificate, const fs::path& key) {
    const fs::path next = folder_ / ("data." + std::to_string(++mounted_));
    fs::create_directory(next);
    Write(next / "tls.crt", certificate);
    Write(next / "tls.key", key);
    fs::create_symlink(next.filename(), folder_ / "next");
    fs::rename(folder_ / "next", folder_ / "data");
  }
  std::string StartError() {
    const auto server =
        HttpServer::Start(options_, [](const HttpRequest&) { return HttpResponse{}; });
    return server ? "" : server.error().Message();
  }
  std::vector<std::string> said() {
    const std::lock_guard guard(mutex_);
    return said_;
  }
  bool IsServed(const Certificate& certificate) {
    return Peer(server_->port(), certificate.pem_file).is_connected();
  }
  bool WaitUntilServed(const Certificate& certificate) {
    for (int i = 0; i < 100; ++i) {
      if (IsServed(certificate)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    return false;
  }

  const Certificate first_, second_;
  const fs::path folder_ = ScratchDirectory("tls");
  int mounted_ = 0;
  HttpServerOptions options_;
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<HttpServer> server_;  // last, because it calls the members above
};

TEST_F(TlsTest, RequestsAreAnsweredOnOneConnection) {
  Start();
  Peer peer(server_->port(), first_.pem_file);
  ASSERT_TRUE(peer.is_connected());
  for (const std::size_t size : {0, 1, 16'383, 16'384, 16'385, 3'000'000}) {
    const std::string body(size, 'x');
    const std::string answer = peer.Ask(body);
    EXPECT_THAT(answer.substr(0, 100), StartsWith("HTTP/1.1 200"));
    EXPECT_TRUE(answer.ends_with("\r\n\r\n" + body)) << size;
  }
}

// Both requests are in one TLS record, of which the first request takes a part.
TEST_F(TlsTest, RequestsThatComeTogetherAreAnsweredEach) {
  Start();
  Peer peer(server_->port(), first_.pem_file);
  peer.Send(Peer::Request("one") + Peer::Request("two") + Peer::Request("three"));
  for (const char* body : {"one", "two", "three"})
    EXPECT_TRUE(peer.Answer().ends_with(std::string("\r\n\r\n") + body));
}

TEST_F(TlsTest, LimitsHoldAsWithoutTls) {
  options_.longest_body = 1000;
  Start();
  Peer large(server_->port(), first_.pem_file);
  EXPECT_THAT(large.Ask(std::string(1001, 'x')), StartsWith("HTTP/1.1 413"));
  Peer long_head(server_->port(), first_.pem_file);
  long_head.Send("GET /" + std::string(70'000, 'a') + " HTTP/1.1\r\n\r\n");
  EXPECT_THAT(long_head.Answer(), StartsWith("HTTP/1.1 431"));
  Peer slow(server_->port(), first_.pem_file);
  slow.Send("POST /a HTTP/1.1\r\nHost: loc");
  EXPECT_THAT(slow.Answer(), StartsWith("HTTP/1.1 408"));
}

TEST_F(TlsTest, PeersThatNeverFinishTheirHandshakeHoldNobodyUp) {
  Start();
  std::vector<int> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(Connect(server_->port()));
    if (i % 2 == 0) continue;
    EXPECT_EQ(::send(silent.back(), "\x16\x03\x01\x02", 4, MSG_NOSIGNAL), 4);
  }
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(Peer(server_->port(), first_.pem_file).Ask("a"), StartsWith("HTTP/1.1 200"));
  for (const int socket : silent) ::close(socket);
}

TEST_F(TlsTest, WhoSpeaksWithoutTlsGetsNoAnswer) {
  Start();
  const int socket = Connect(server_->port());
  const std::string request = Peer::Request("a");
  EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string all;
  char buffer[1000];
  for (ssize_t got = 1; got > 0;) {
    got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got > 0) all.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(socket);
  EXPECT_EQ(all.find("HTTP"), std::string::npos) << all;
  EXPECT_THAT(Peer(server_->port(), first_.pem_file).Ask("a"), StartsWith("HTTP/1.1 200"));
}

TEST_F(TlsTest, AReplacedPairIsServedToThoseThatComeThen) {
  Start();
  Peer before(server_->port(), first_.pem_file);
  EXPECT_THAT(before.Ask("a"), StartsWith("HTTP/1.1 200"));
  Mount(second_);
  EXPECT_TRUE(WaitUntilServed(second_));
  EXPECT_FALSE(IsServed(first_));
  EXPECT_THAT(before.Ask("a"), StartsWith("HTTP/1.1 200")) << "the old connection goes on";
  EXPECT_THAT(said(), ElementsAre(HasSubstr("was replaced")));
}

TEST_F(TlsTest, NoRequestFailsWhileThePairIsReplaced) {
  Start();
  std::atomic<bool> done = false;
  std::atomic<int> asked = 0, failed = 0;
  std::vector<std::thread> peers;
  for (int i = 0; i < 3; ++i)
    peers.emplace_back([&] {
      while (!done) {
        Peer peer(server_->port(), "");
        ++asked;
        if (!peer.is_connected() || !peer.Ask("a").starts_with("HTTP/1.1 200")) ++failed;
      }
    });
  for (int i = 0; i < 4; ++i) {
    const Certificate& next = i % 2 ? first_ : second_;
    Mount(next);
    EXPECT_TRUE(WaitUntilServed(next));
  }
  done = true;
  for (std::thread& peer : peers) peer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(asked, 20);
}

TEST_F(TlsTest, ABrokenPairLeavesTheOldOneAndIsSaidOnce) {
  Start();
  const auto broken = [&](const fs::path& certificate, const fs::path& key) {
    const std::size_t before = said().size();
    Mount(certificate, key);
    for (int i = 0; i < 100 && said().size() == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    std::this_thread::sleep_for(std::chrono::milliseconds{2500});
    EXPECT_TRUE(IsServed(first_));
    EXPECT_EQ(said().size(), before + 1);
    return said().back();
  };
  EXPECT_THAT(broken(second_.pem_file, first_.key_file), HasSubstr("is not the certificate's key"));
  std::ofstream(folder_ / "empty.pem").close();
  EXPECT_THAT(broken(folder_ / "empty.pem", second_.key_file), HasSubstr("is not a certificate"));
  Mount(second_);
  EXPECT_TRUE(WaitUntilServed(second_));
}

TEST_F(TlsTest, APairThatIsReplacedFileByFileIsNoTrouble) {
  Start();
  Write(folder_ / "data/tls.crt", second_.pem_file);
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  Write(folder_ / "data/tls.key", second_.key_file);
  EXPECT_TRUE(WaitUntilServed(second_));
  EXPECT_THAT(said(), ElementsAre(HasSubstr("was replaced")));
}

TEST_F(TlsTest, AServerWithoutAUsablePairDoesNotStart) {
  options_.tls->certificate = folder_ / "missing.crt";
  EXPECT_THAT(StartError(), HasSubstr("missing.crt: cannot be read"));
  options_.tls = Files();
  options_.tls->key = second_.key_file;
  EXPECT_THAT(StartError(), HasSubstr("is not the certificate's key"));
  options_.tls->key = folder_ / "locked.key";
  FILE* locked = std::fopen(options_.tls->key.c_str(), "w");
  PEM_write_PrivateKey(locked, first_.key, EVP_aes_128_cbc(), nullptr, 0, nullptr,
                       const_cast<char*>("passphrase"));
  std::fclose(locked);
  EXPECT_THAT(StartError(), HasSubstr("without a passphrase"));
}

}  // namespace
}  // namespace ebb::web
