#pragma once
// Delivers texts to one web address, in order, from a thread of its own. Failed deliveries are
// retried with back-off if that can help; the rate and the queue are bounded. Send never waits,
// however slow or dead the receiver is.
//
// Thread contract: Send and counts from any thread.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "platform/retry.h"
#include "platform/token_bucket.h"

namespace ebb::web {

struct WebhookOptions {
  std::string url;  ///< may hold a secret: show only its scheme and host
  /// The key of the signature; empty if texts are not signed.
  std::string secret;
  std::size_t longest_queue = 100;  ///< texts beyond this are dropped
  int attempts = 6;                 ///< attempts for each text
  platform::BackOff back_off{};
  platform::Rate rate{30, 10};
  Duration timeout{10'000};  ///< for each attempt
};

struct WebhookCounts {
  std::int64_t sent = 0;
  std::int64_t failed = 0;   ///< texts given up after all attempts, or refused
  std::int64_t dropped = 0;  ///< texts dropped because the queue was full
  std::int64_t retries = 0;
  std::int64_t waiting = 0;
};
WebhookCounts operator+(const WebhookCounts& a, const WebhookCounts& b);

class Webhook {
 public:
  /// `say` reports the first of successive failures, on the webhook's thread.
  Webhook(WebhookOptions options, std::function<void(const std::string&)> say);
  /// Drops the texts that wait; the delivery that is under way ends within a second.
  ~Webhook();

  void Send(std::string body);
  WebhookCounts counts() const;

 private:
  void Deliver();
  Status DeliverOne(const std::string& body);
  bool WaitFor(Duration duration);

  const WebhookOptions options_;
  const std::function<void(const std::string&)> say_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  WebhookCounts counts_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// Accepts http or https with a host. With a secret, http is accepted only for this machine.
Status CheckWebhookUrl(const std::string& url, bool has_secret);
/// The part of the address without secrets: "https://host".
std::string ShownWebhookUrl(const std::string& url);
/// The value of the header Ebb-Signature: "sha256=" and HMAC-SHA256 of "TIMESTAMP.BODY".
std::string SignatureOf(const std::string& secret, const std::string& timestamp,
                        const std::string& body);

}  // namespace ebb::web
