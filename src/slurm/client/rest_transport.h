#pragma once
// How Ebb reaches slurmrestd: by a Unix socket, or by HTTP with a token.

#include <functional>
#include <string>

#include "platform/http.h"

namespace ebb::slurm {

/// One request: {"POST", "/slurm/v0.0.38/job/12", "{…}"}.
struct RestCall {
  std::string method = "GET";
  std::string path;
  std::string body{};
};
using RestTransport = std::function<Result<platform::HttpResponse>(const RestCall&)>;

struct RestPlace {
  /// "unix:/run/slurmrestd/rest.sock", "https://slurm.example:6820"
  std::string address;
  std::string user{};  ///< whose token it is; empty: the variable USER
  /// File with the token, read before each request, so that it can be renewed; empty: the variable
  /// SLURM_JWT, and without it no token.
  std::string token_file{};
  std::string ca_file{};  ///< PEM; empty: the system's authorities
};

/// An Error: the address cannot be used. A token goes over HTTPS, or to this machine only; over a
/// Unix socket only if the socket's owner or root listens there.
Result<RestTransport> MakeRestTransport(RestPlace place);

}  // namespace ebb::slurm
