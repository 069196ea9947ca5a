#include "web/http/startup_handler.h"

#include <utility>

#include "web/http/responses.h"
#include "web/metrics/health.h"

namespace ebb::web {

HttpResponse StartupHandler::Handle(const HttpRequest& request) const {
  std::shared_ptr<const HttpHandler> handler;
  std::string why;
  bool said_why = false;
  {
    const std::lock_guard guard(mutex_);
    handler = handler_;
    why = why_;
    said_why = said_why_;
  }
  return handler ? (*handler)(request) : Closed(request, why, said_why);
}

HttpResponse StartupHandler::Closed(const HttpRequest& request, const std::string& why,
                                    bool said_why) const {
  if (request.path == "/livez" || request.path == "/readyz") {
    Health health;
    health.store = why;
    health.busy = now_() - since_;
    health.hangs = !said_why && health.busy > kLongestStart;
    if (!said_why) health.doing = "starting";
    const bool lives = request.path == "/livez" && !health.hangs;
    return Respond(HealthToJson(health), lives ? 200 : 503);
  }
  return Respond(Error{ExitCode::kTryLater, why, "", "try again later; what runs goes on"});
}

void StartupHandler::SayWhy(std::string why) {
  const std::lock_guard guard(mutex_);
  why_ = std::move(why);
  said_why_ = true;
}

void StartupHandler::Open(HttpHandler handler) {
  const std::lock_guard guard(mutex_);
  handler_ = std::make_shared<const HttpHandler>(std::move(handler));
}

}  // namespace ebb::web
