#pragma once
// Many HTTP requests at once in one thread, over libcurl's multi interface: answers come in pieces,
// so that one of them may go on for hours (a watch). TLS is verified. Redirects are not followed,
// because headers may carry a token.
//
// Thread contract: all calls come from one thread, which also runs the callbacks; only Wake may
// come from any thread. A callback may start and cancel requests, its own included.

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
  std::string body{};                        ///< body of the request; empty: none
  std::string ca_pem{};                      ///< empty: the system's certificate authorities
  std::string certificate_pem{}, key_pem{};  ///< certificate and key of this client; empty: none
  /// "10.0.0.7:8735": the address to connect to, whatever host the URL names. The certificate is
  /// still checked for the name in the URL.
  std::string connect_to{};
  /// Time limit from name look-up to the last byte. It is needed because TCP does not notice a peer
  /// that hangs.
  Duration timeout{30'000};
  Duration connect_timeout{10'000};
  /// Gives the request a connection of its own, so that it fails alone.
  bool own_connection = false;
};

struct StreamEnd {
  int status = 0;                                ///< HTTP status; 0: no answer came
  std::map<std::string, std::string> headers{};  ///< names in lower case
  Status transport{};  ///< an Error: the answer was cut off, or none came (kConfiguration: asking
                       ///< again cannot help); its `where` is the URL without query
};

struct StreamEvents {
  /// Called when the head of the answer has come; may be empty.
  std::function<void(int status)> on_head{};
  /// Called for each piece of the body as it arrives. If it returns false, the request ends as if
  /// the peer had ended it.
  std::function<bool(int status, std::string_view piece)> on_data{};
  /// Called once, as the last callback; not called after Cancel.
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
  /// Cancels a request. A request that has already ended is ignored.
  void Cancel(Id id);
  /// Transfers data and runs callbacks. Returns once something was done, at the latest after
  /// `patience`, after Wake, or when the descriptor `also` (-1: none) becomes readable.
  void Poll(Duration patience, int also = -1);
  /// Makes Poll return. May be called from any thread.
  void Wake();
  std::size_t under_way() const;

 private:
  class Implementation;
  explicit HttpStreams(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ebb::platform
