#include "meter/exporter.h"

#include "platform/http.h"

namespace ebb::meter {

std::function<Result<std::string>()> MetricsAt(const std::string& url) {
  platform::HttpRequest request;
  request.url = url;
  request.timeout = std::chrono::seconds{2};
  request.direct = true;
  return [request = std::move(request)]() -> Result<std::string> {
    EBB_ASSIGN_OR_RETURN(platform::HttpResponse response, platform::HttpGet(request));
    if (response.status == 200) return std::move(response.body);
    return Fail({ExitCode::kUnavailable, "answered HTTP " + std::to_string(response.status),
                 request.url, ""});
  };
}

}  // namespace ebb::meter
