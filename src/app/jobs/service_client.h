#pragma once
// Speaks to the queue service on behalf of a command: finds it by its store, or by its URL.
//
// By its store: at the Unix socket beside it, where the kernel says whose process listens. The
// token goes to the user who owns it and to nobody else, also while no service runs and another
// user listens at the address where it used to. A user who may not connect to the socket reads at
// that address, without a token.

#include <string>

#include "base/result.h"
#include "platform/http.h"

namespace ebb::app {

/// Where the service is, as a person says it.
struct ServicePlace {
  std::string server;      ///< URL; empty: as written beside the store
  std::string token_file;  ///< empty: beside the store
  std::string store;       ///< empty: the default
};

/// The store that is meant: the given one, or the default.
Result<std::string> StorePathOf(const std::string& given);
/// Files beside the store.
std::string UrlFileOf(const std::string& store);
std::string SocketOf(const std::string& store);
std::string TokenFileOf(const std::string& store);

class ServiceClient {
 public:
  /// It is not asked yet.
  static Result<ServiceClient> Find(const ServicePlace& place);

  /// The body of an answer 2xx; any other answer is the Error that the service gives. The token
  /// goes along where it can be read; to a --server only the one of --token-file.
  Result<std::string> Get(const std::string& path) const;
  /// The same with its headers.
  Result<platform::HttpResponse> GetWhole(const std::string& path) const;
  /// An Error if it has no token for a Post; the service is not asked.
  Status CheckToken() const;
  /// With the token.
  Result<std::string> Post(const std::string& path, const std::string& body) const;

 private:
  struct Way;
  Result<Way> Open(bool needs_token) const;
  Result<Way> OpenServer(bool needs_token) const;
  Result<Way> OpenStore(bool needs_token) const;

  std::string url_;  // --server; empty: the service of the store
  std::string store_;
  std::string token_file_;  // empty: none is known
};

/// A job's number, as people write it.
Result<long long> JobNumberOf(const std::string& text);

}  // namespace ebb::app
