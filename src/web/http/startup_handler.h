#pragma once
// Who answers at the service's address: at first, while the service starts or waits for something,
// one who says so (503, and /livez that it lives); then the API.
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

/// A start that takes longer, and has not said what it waits for, hangs: of a store of a million
/// jobs it takes a minute.
inline constexpr std::chrono::minutes kLongestStart{10};

class StartupHandler {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StartupHandler(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)), since_(now_()) {}

  HttpResponse Handle(const HttpRequest& request) const;
  /// Why there is no service yet.
  void SayWhy(std::string why);
  /// From now on `handler` answers.
  void Open(HttpHandler handler);

 private:
  HttpResponse Closed(const HttpRequest& request, const std::string& why, bool said_why) const;

  const std::function<Clock::time_point()> now_;
  const Clock::time_point since_;
  mutable std::mutex mutex_;
  std::string why_ = "the service is starting";
  bool said_why_ = false;  ///< it is known to wait for something
  std::shared_ptr<const HttpHandler> handler_;
};

}  // namespace ebb::web
