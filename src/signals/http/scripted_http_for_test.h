#pragma once
// A web server with scripted answers for tests: it gives the first answer whose key is part of the
// address, or 404, and remembers the requests.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "signals/provider.h"

namespace ebb::signals {

struct ScriptedHttp {
  std::map<std::string, std::deque<platform::HttpResponse>> answers;
  std::vector<platform::HttpRequest> requests;
  bool unreachable = false;

  /// The last answer of a key is repeated for ever.
  void Say(const std::string& part_of_url, std::string body, int status = 200) {
    answers[part_of_url].push_back({status, std::move(body)});
  }
  Result<platform::HttpResponse> Answer(const platform::HttpRequest& request) {
    requests.push_back(request);
    if (unreachable)
      return Fail({ExitCode::kUnavailable, "request failed: cannot resolve host", "x", ""});
    for (auto& [part, queue] : answers) {
      if (request.url.find(part) == std::string::npos) continue;
      const platform::HttpResponse answer = queue.front();
      if (queue.size() > 1) queue.pop_front();
      return answer;
    }
    return platform::HttpResponse{404, "{}"};
  }
  HttpGetFunction Get() {
    return [this](const platform::HttpRequest& request) { return Answer(request); };
  }
};

}  // namespace ebb::signals
