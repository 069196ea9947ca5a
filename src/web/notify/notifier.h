#pragma once
// Watches the service from a thread of its own, and sends notices to webhooks.

#include <memory>
#include <vector>

#include "service/service.h"
#include "web/notify/notices.h"
#include "web/notify/webhook.h"

namespace ebb::web {

struct NotifierOptions {
  NoticeOptions notices;
  std::vector<WebhookOptions> webhooks;
  std::string service;   ///< address of the service, part of each text
  Duration pause{1000};  ///< time between looks
};

class Notifier {
 public:
  /// The service must outlive the notifier. The state of the service at this moment gives no
  /// notices.
  Notifier(service::Service& service, NotifierOptions options,
           const std::function<void(const std::string&)>& say);
  ~Notifier();

  /// The counts of all webhooks together. From any thread.
  WebhookCounts counts() const;

 private:
  void Watch();
  void Look(const service::View& view);

  service::Service& service_;
  const std::string name_;
  const Duration pause_;
  NoticeFinder finder_;
  std::vector<std::unique_ptr<Webhook>> webhooks_;
  std::uint64_t seen_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ebb::web
