#pragma once
// Answers at the service's address from the beginning. While the service starts or waits for
// something, the answer is 503 with the reason (and /livez says that the process lives); after
// that, the API answers.
//
// Thread contract: any.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "web/http/http_server.h"

namespace ebb::web {

/// A start that takes longer without a stated reason counts as hanging; a store of a million jobs
/// takes a minute.
inline constexpr std::chrono::minutes kLongestStart{10};

class StartupHandler {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StartupHandler(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)), since_(now_()) {}

  HttpResponse Handle(const HttpRequest& request) const;
  /// Sets the reason why there is no service yet.
  void SayWhy(std::string why);
  /// Passes all requests to `handler` from now on.
  void Open(HttpHandler handler);

 private:
  HttpResponse Closed(const HttpRequest& request, const std::string& why, bool said_why) const;

  const std::function<Clock::time_point()> now_;
  const Clock::time_point since_;
  mutable std::mutex mutex_;
  std::string why_ = "the service is starting";
  bool said_why_ = false;  ///< true if the start is known to wait for something
  std::shared_ptr<const HttpHandler> handler_;
};

}  // namespace ebb::web
