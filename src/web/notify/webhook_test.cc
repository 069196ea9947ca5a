#include "web/notify/webhook.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/world_for_test.h"
#include "web/http/http_server.h"
#include "web/notify/notifier.h"

namespace ebb::web {
namespace {

using namespace std::chrono_literals;

// Receives texts. It gives the answers that the test sets, and 200 after that.
class Receiver {
 public:
  explicit Receiver(std::vector<int> answers = {}) : answers_(std::move(answers)) {
    auto server = HttpServer::Start({}, [this](const HttpRequest& request) {
      const std::lock_guard guard(mutex_);
      requests_.push_back(request);
      HttpResponse response;
      if (requests_.size() <= answers_.size()) response.status = answers_[requests_.size() - 1];
      return response;
    });
    EXPECT_TRUE(server);
    server_ = std::make_unique<HttpServer>(*std::move(server));
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + "/x?t=1";
  }
  std::vector<HttpRequest> requests() const {
    const std::lock_guard guard(mutex_);
    return requests_;
  }

 private:
  std::vector<int> answers_;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::unique_ptr<HttpServer> server_;
};

// Accepts connections and never sends anything.
class Silent {
 public:
  Silent() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Silent() { ::close(socket_); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int socket_, port_ = 0;
};

WebhookOptions Quick(const std::string& url) {
  WebhookOptions options;
  options.url = url;
  options.back_off = {Duration{1}, Duration{5}};
  options.rate = {60'000, 1000};
  return options;
}

template <class Holds>
void WaitUntil(const Holds& holds) {
  const auto limit = std::chrono::steady_clock::now() + 30s;
  while (!holds()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    std::this_thread::sleep_for(2ms);
  }
}

void SayNothing(const std::string&) {}

TEST(Webhook, DeliversInOrderAndSigned) {
  Receiver receiver;
  WebhookOptions options = Quick(receiver.url());
  options.secret = "key";
  Webhook webhook(options, SayNothing);
  for (int i = 0; i < 20; ++i) webhook.Send("{\"n\":" + std::to_string(i) + "}");
  WaitUntil([&] { return webhook.counts().sent == 20; });
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    const HttpRequest& request = requests[static_cast<std::size_t>(i)];
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.body, "{\"n\":" + std::to_string(i) + "}");
    EXPECT_EQ(request.headers.at("content-type"), "application/json");
    EXPECT_EQ(request.headers.at("ebb-signature"),
              SignatureOf("key", request.headers.at("ebb-timestamp"), request.body));
  }
  EXPECT_NE(SignatureOf("key", "1", "x"), SignatureOf("kez", "1", "x"));
  EXPECT_NE(SignatureOf("key", "1", "x"), SignatureOf("key", "2", "x"));
}

TEST(Webhook, TriesAgainWhatCanSucceed) {
  Receiver receiver({503, 429, 500});
  Webhook webhook(Quick(receiver.url()), SayNothing);
  webhook.Send("a");
  WaitUntil([&] { return webhook.counts().sent == 1; });
  EXPECT_EQ(webhook.counts().retries, 3);
  EXPECT_EQ(receiver.requests().size(), 4u);
}

TEST(Webhook, GivesUpWhatCannotAndSaysSoOnce) {
  Receiver receiver({404, 403, 200, 410});
  std::mutex mutex;
  std::vector<std::string> said;
  Webhook webhook(Quick(receiver.url()), [&](const std::string& text) {
    const std::lock_guard guard(mutex);
    said.push_back(text);
  });
  for (const char* body : {"a", "b", "c", "d"}) webhook.Send(body);
  WaitUntil([&] { return webhook.counts().failed == 3; });
  EXPECT_EQ(webhook.counts().sent, 1);
  EXPECT_EQ(receiver.requests().size(), 4u) << "a refusal is refused again";
  WaitUntil([&] {
    const std::lock_guard guard(mutex);
    return said.size() == 2;
  });
  EXPECT_NE(said[0].find("404"), std::string::npos);
  EXPECT_EQ(said[0].find("t=1"), std::string::npos) << "an address may hold a secret";
}

TEST(Webhook, GivesUpAfterSomeAttempts) {
  Receiver receiver(std::vector<int>(100, 503));
  WebhookOptions options = Quick(receiver.url());
  options.attempts = 3;
  Webhook webhook(options, SayNothing);
  webhook.Send("a");
  WaitUntil([&] { return webhook.counts().failed == 1; });
  EXPECT_EQ(receiver.requests().size(), 3u);
}

// The caller does not wait, the queue is bounded, and the end does not wait either.
TEST(Webhook, AReceiverThatHangsHoldsNobodyUp) {
  Silent silent;
  WebhookOptions options = Quick(silent.url());
  options.longest_queue = 10;
  options.timeout = std::chrono::minutes{5};
  const auto begin = std::chrono::steady_clock::now();
  {
    Webhook webhook(options, SayNothing);
    for (int i = 0; i < 1000; ++i) webhook.Send("x");
    EXPECT_EQ(webhook.counts().dropped, 990);
    EXPECT_EQ(webhook.counts().waiting, 10);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
}

TEST(Webhook, AReceiverThatHangsIsGivenUpAfterTheTimeLimit) {
  Silent silent;
  WebhookOptions options = Quick(silent.url());
  options.timeout = Duration{50};
  options.attempts = 2;
  Webhook webhook(options, SayNothing);
  webhook.Send("x");
  WaitUntil([&] { return webhook.counts().failed == 1; });
  EXPECT_EQ(webhook.counts().retries, 1);
}

TEST(Webhook, AddressesAreChecked) {
  for (const char* url : {"", "x", "ftp://a/b", "https://", "file:///etc/passwd", "https:///x",
                          "https://a b/", "https://a/\r\nX: y"})
    EXPECT_FALSE(CheckWebhookUrl(url, false)) << url;
  EXPECT_TRUE(CheckWebhookUrl("http://example.org/hook", false));
  EXPECT_FALSE(CheckWebhookUrl("http://example.org/hook", true));
  EXPECT_FALSE(CheckWebhookUrl("http://localhost@example.org/hook", true));
  EXPECT_FALSE(CheckWebhookUrl("http://localhost.example.org/hook", true));
  EXPECT_TRUE(CheckWebhookUrl("http://localhost:8080/hook", true));
  EXPECT_TRUE(CheckWebhookUrl("https://example.org/hook", true));
  EXPECT_EQ(ShownWebhookUrl("https://user:pass@hooks.example.org/T0/B0/key?token=x"),
            "https://hooks.example.org");
}

TEST(Notifier, TellsOfAFailedJobOfARealService) {
  service::World world("notifier");
  world.Start();
  Receiver receiver;
  NotifierOptions options;
  options.webhooks = {Quick(receiver.url())};
  options.service = "test-host";
  options.pause = Duration{5};
  Notifier notifier(world.service(), std::move(options), SayNothing);
  const core::JobId id = world.Submit(world.Shell("exit 3"));
  world.WaitForStage(id, engine::Stage::kFailed);
  WaitUntil([&] { return notifier.counts().sent == 1; });
  const std::string body = receiver.requests().at(0).body;
  EXPECT_NE(body.find("\"event\":\"job_failed\""), std::string::npos) << body;
  EXPECT_NE(body.find("\"id\":" + std::to_string(id)), std::string::npos) << body;
  EXPECT_NE(body.find("test-host"), std::string::npos) << body;
}

}  // namespace
}  // namespace ebb::web
