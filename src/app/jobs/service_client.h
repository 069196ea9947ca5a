#pragma once
// Speaks to the queue service on behalf of a command (service_place.h: which one).
//
// By its store: at the Unix socket beside it, where the kernel says whose process listens. The
// token goes to the user who owns it and to nobody else, also while no service runs and another
// user listens at the address where it used to. A user who may not connect to the socket reads at
// that address, without a token.

#include <string>

#include "app/jobs/service_place.h"
#include "base/result.h"
#include "base/time.h"
#include "platform/http.h"

namespace ebb::app {

class ServiceClient {
 public:
  /// It is not asked yet.
  static Result<ServiceClient> Find(const ServicePlace& place,
                                    const ServiceSources& sources = SourcesOfMachine());

  /// The body of an answer 2xx; any other answer is the Error that the service gives. The token
  /// goes along where it can be read; to an address only the one that was given beside it.
  Result<std::string> Get(const std::string& path) const;
  /// The same with its headers.
  Result<platform::HttpResponse> GetWhole(const std::string& path) const;
  /// An Error if it has no token for a Post; the service is not asked.
  Status CheckToken() const;
  /// With the token.
  Result<std::string> Post(const std::string& path, const std::string& body) const;
  /// The same service, asked with less patience.
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

/// A job's number, as people write it.
Result<long long> JobNumberOf(const std::string& text);

}  // namespace ebb::app
