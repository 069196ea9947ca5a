#pragma once
// Who answers at the service's address: at first, while the service starts or waits for something,
// one who says so (503, and /livez that it lives); then the API.
//
// Thread contract: any.

#include <memory>
#include <mutex>
#include <string>

#include "web/http/http_server.h"

namespace ebb::web {

class FrontDoor {
 public:
  HttpResponse Handle(const HttpRequest& request) const;
  /// Why there is no service yet.
  void SayWhy(std::string why);
  /// From now on `handler` answers.
  void Open(HttpHandler handler);

 private:
  HttpResponse Closed(const HttpRequest& request, const std::string& why) const;

  mutable std::mutex mutex_;
  std::string why_ = "the service is starting";
  std::shared_ptr<const HttpHandler> handler_;
};

}  // namespace ebb::web
