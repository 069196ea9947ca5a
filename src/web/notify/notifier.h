#pragma once
// Looks at the service, from a thread of its own, and tells webhooks what is worth telling.

#include <memory>
#include <vector>

#include "service/service.h"
#include "web/notify/notices.h"
#include "web/notify/webhook.h"

namespace ebb::web {

struct NotifierOptions {
  NoticeOptions notices;
  std::vector<WebhookOptions> webhooks;
  std::string service;   ///< its address, in each text
  Duration pause{1000};  ///< between looks
};

class Notifier {
 public:
  /// The service must outlive it. What the service shows now is known already.
  Notifier(service::Service& service, NotifierOptions options,
           const std::function<void(const std::string&)>& say);
  ~Notifier();

  /// Of all webhooks together. From any thread.
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
