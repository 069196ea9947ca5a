#include "web/notify/notifier.h"

namespace ebb::web {

Notifier::Notifier(service::Service& service, NotifierOptions options,
                   const std::function<void(const std::string&)>& say)
    : service_(service),
      name_(std::move(options.service)),
      pause_(options.pause),
      finder_(std::move(options.notices)) {
  for (WebhookOptions& webhook : options.webhooks)
    webhooks_.push_back(std::make_unique<Webhook>(std::move(webhook), say));
  Look(*service_.view());
  thread_ = std::thread([this] { Watch(); });
}

Notifier::~Notifier() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

WebhookCounts Notifier::counts() const {
  WebhookCounts sum;
  for (const auto& webhook : webhooks_) sum = sum + webhook->counts();
  return sum;
}

void Notifier::Look(const service::View& view) {
  seen_ = view.version;
  for (const Notice& notice : finder_.Look(view)) {
    const std::string body = ToJson(notice, name_);
    for (const auto& webhook : webhooks_) webhook->Send(body);
  }
}

void Notifier::Watch() {
  for (;;) {
    {
      std::unique_lock guard(mutex_);
      changed_.wait_for(guard, pause_, [this] { return stopping_; });
      if (stopping_) return;
    }
    const auto view = service_.view();
    if (view->version != seen_) Look(*view);
  }
}

}  // namespace ebb::web
