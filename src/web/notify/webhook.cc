#include "web/notify/webhook.h"

#include <algorithm>
#include <random>

#include "platform/digest.h"
#include "platform/http.h"
#include "platform/web_address.h"

namespace ebb::web {
namespace {

constexpr std::uint64_t kLongestAnswer = 64 << 10;
// A receiver may ask for a pause with Retry-After, but for no longer than this.
constexpr Duration kLongestRetryAfter{std::chrono::minutes{5}};

Time SystemNow() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string_view HostOf(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  return url;
}

}  // namespace

WebhookCounts operator+(const WebhookCounts& a, const WebhookCounts& b) {
  return {a.sent + b.sent, a.failed + b.failed, a.dropped + b.dropped, a.retries + b.retries,
          a.waiting + b.waiting};
}

std::string ShownWebhookUrl(const std::string& url) {
  return url.substr(0, url.find("://")) + "://" + std::string(HostOf(url));
}

Status CheckWebhookUrl(const std::string& url, bool has_secret) {
  const bool control =
      std::any_of(url.begin(), url.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  // The error does not show the address, whose path may be a secret.
  if (HostOf(url).empty() || control || !platform::CheckAddress(url, false))
    return Fail({ExitCode::kUsage, "is not a web address", "the address of a webhook",
                 "it begins with https:// (http:// for this machine)"});
  if (!platform::CheckAddress(url, has_secret))
    return Fail({ExitCode::kUsage, "texts that are signed must not travel unencrypted",
                 ShownWebhookUrl(url), "use https://"});
  return {};
}

std::string SignatureOf(const std::string& secret, const std::string& timestamp,
                        const std::string& body) {
  return "sha256=" + platform::HmacSha256Hex(secret, timestamp + "." + body);
}

Webhook::Webhook(WebhookOptions options, std::function<void(const std::string&)> say)
    : options_(std::move(options)), say_(std::move(say)), thread_([this] { Deliver(); }) {}

Webhook::~Webhook() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Webhook::Send(std::string body) {
  {
    const std::lock_guard guard(mutex_);
    if (queue_.size() >= options_.longest_queue) {
      ++counts_.dropped;
      return;
    }
    queue_.push_back(std::move(body));
  }
  changed_.notify_all();
}

WebhookCounts Webhook::counts() const {
  const std::lock_guard guard(mutex_);
  WebhookCounts counts = counts_;
  counts.waiting = static_cast<std::int64_t>(queue_.size());
  return counts;
}

// Waits; false if the webhook is to end.
bool Webhook::WaitFor(Duration duration) {
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, duration, [this] { return stopping_.load(); });
  return !stopping_;
}

Status Webhook::DeliverOne(const std::string& body) {
  const std::string timestamp = std::to_string(
      std::chrono::floor<std::chrono::seconds>(SystemNow()).time_since_epoch().count());
  platform::HttpRequest request;
  request.url = options_.url;
  request.headers = {"Content-Type: application/json", "Ebb-Timestamp: " + timestamp};
  if (!options_.secret.empty())
    request.headers.push_back("Ebb-Signature: " + SignatureOf(options_.secret, timestamp, body));
  request.body = body;
  request.timeout = options_.timeout;
  request.limit_bytes = kLongestAnswer;
  request.cancelled = &stopping_;
  Random random(std::random_device{}());
  for (int failures = 1;; ++failures) {
    const auto answer = platform::HttpPost(request);
    if (answer && answer->status / 100 == 2) return {};
    const bool again =
        answer ? platform::MayRetry(answer->status) : platform::MayRetry(answer.error());
    if (!again || failures >= options_.attempts || stopping_) {
      if (!answer)
        return Fail({answer.error().code, answer.error().what, ShownWebhookUrl(options_.url), ""});
      return Fail({ExitCode::kUnavailable, "answers " + std::to_string(answer->status),
                   ShownWebhookUrl(options_.url), ""});
    }
    {
      const std::lock_guard guard(mutex_);
      ++counts_.retries;
    }
    const auto asked =
        answer ? platform::RetryAfter(answer->retry_after, SystemNow()) : std::nullopt;
    const Duration own = platform::WaitAfter(failures, options_.back_off, random);
    if (!WaitFor(std::max(own, std::min(asked.value_or(Duration{0}), kLongestRetryAfter))))
      return Fail({ExitCode::kTryLater, "the service is stopping", "", ""});
  }
}

void Webhook::Deliver() {
  platform::TokenBucket bucket(options_.rate);
  bool failing = false;
  for (;;) {
    std::string body;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      body = queue_.front();
    }
    const Duration wait = bucket.Take(SystemNow());
    if (wait > Duration::zero() && !WaitFor(wait)) return;
    const Status sent = DeliverOne(body);
    {
      const std::lock_guard guard(mutex_);
      queue_.pop_front();
      ++(sent ? counts_.sent : counts_.failed);
    }
    if (!sent && !failing && !stopping_) say_("not notified: " + sent.error().Message());
    failing = !sent;
  }
}

}  // namespace ebb::web
