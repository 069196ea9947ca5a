#pragma once
// Sends requests to the queue service for a command (service_place.h finds the service).
//
// A service that is found by its store is reached at the Unix socket beside it, where the kernel
// tells which user owns the listening process. The token goes only to the user who owns it, even if
// no service runs and another user listens at its former address. A user who may not connect to the
// socket reads at that address, without a token.

#include <string>

#include "app/jobs/service_place.h"
#include "base/result.h"
#include "base/time.h"
#include "platform/http.h"

namespace ebb::app {

class ServiceClient {
 public:
  /// Finds the service without sending it a request.
  static Result<ServiceClient> Find(const ServicePlace& place,
                                    const ServiceSources& sources = SourcesOfMachine());

  /// The body of an answer 2xx; any other answer is the Error that the service gives. The token is
  /// sent if it can be read; an address gets only the token that was given beside it.
  Result<std::string> Get(const std::string& path) const;
  /// The answer with its headers.
  Result<platform::HttpResponse> GetWhole(const std::string& path) const;
  /// An Error if there is no token for a Post; the service is not asked.
  Status CheckToken() const;
  /// Sends the token.
  Result<std::string> Post(const std::string& path, const std::string& body) const;
  /// A client of the same service with a shorter patience.
  ServiceClient Within(Duration patience) const;
  const FoundService& place() const { return place_; }

 private:
  struct Way;
  Result<Way> Open(bool needs_token) const;
  Result<Way> OpenServer(bool needs_token) const;
  Result<Way> OpenStore(bool needs_token) const;
  Result<platform::HttpResponse> Accepted(Result<platform::HttpResponse> answer) const;
  Error Unreached(Error error) const;

  FoundService place_;
  std::string machine_address_;
  Duration patience_{60'000};  // a long queue takes a while to print
};

/// The job number in a text that a person wrote.
Result<long long> JobNumberOf(const std::string& text);

}  // namespace ebb::app
