#pragma once
// Many HTTP requests at once in one thread, over libcurl's multi interface: answers come in pieces,
// so that one of them may go on for hours (a watch). TLS is verified; redirects are not followed,
// since headers may carry a token.
//
// Thread contract: one thread, on which the callbacks come as well, but for Wake. A callback may
// start and cancel requests, its own too.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

struct StreamRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers{};        ///< "name: value"; never logged
  std::string body{};                        ///< sent where it is not empty
  std::string ca_pem{};                      ///< empty: the system's certificate authorities
  std::string certificate_pem{}, key_pem{};  ///< of this client; empty: none
  /// "10.0.0.7:8735": connects there, whatever name the URL has and the certificate is checked for.
  std::string connect_to{};
  /// From name look-up to the last byte: TCP does not notice a peer that hangs.
  Duration timeout{30'000};
  Duration connect_timeout{10'000};
  /// A connection of its own, so that it fails alone.
  bool own_connection = false;
};

struct StreamEnd {
  int status = 0;                                ///< 0: no answer came
  std::map<std::string, std::string> headers{};  ///< names in lower case
  Status transport{};  ///< an Error: the answer was cut off, or none came (kConfiguration: asking
                       ///< again cannot help); its `where` is the URL without query
};

struct StreamEvents {
  /// The head of the answer has come; may be empty.
  std::function<void(int status)> on_head{};
  /// A piece of the body, as it came. False: ends the request as if the peer had.
  std::function<bool(int status, std::string_view piece)> on_data{};
  /// Once, last; not after Cancel.
  std::function<void(const StreamEnd&)> on_end{};
};

class HttpStreams {
 public:
  using Id = std::uint64_t;  ///< never 0

  static Result<HttpStreams> Open();
  HttpStreams(HttpStreams&&) noexcept;
  HttpStreams& operator=(HttpStreams&&) noexcept;
  ~HttpStreams();

  Id Start(StreamRequest request, StreamEvents events);
  /// One that has ended is no error.
  void Cancel(Id id);
  /// Moves bytes and calls back; returns once something was done, at the latest after `patience`,
  /// when it is woken, or when `also` (a descriptor; -1: none) can be read.
  void Poll(Duration patience, int also = -1);
  /// Ends a Poll. From any thread.
  void Wake();
  std::size_t under_way() const;

 private:
  class Implementation;
  explicit HttpStreams(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ebb::platform
