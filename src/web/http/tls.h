#pragma once
// TLS on the connections of a server (OpenSSL). The certificate and its key are files that somebody
// may replace while the server runs, as a kubelet does with those of a mounted Secret: connections
// that come after that get the new pair. A pair that cannot be used leaves the old one in place.
//
// Thread contract: Refresh one thread, Open any; a TlsChannel one thread at a time.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "web/http/http_server.h"

struct ssl_ctx_st;
struct ssl_st;

namespace ebb::web {

/// The bytes of one connection. It never waits, and begins with the handshake by itself.
class TlsChannel {
 public:
  /// The socket is set to not block, and stays its owner's.
  TlsChannel(ssl_ctx_st& context, int socket);
  /// Tells the peer that nothing more comes, if that can be done at once.
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  /// How many bytes; 0: the peer has ended; negative: see wants().
  ssize_t Receive(char* to, std::size_t size);
  /// How many of them; negative: see wants().
  ssize_t Send(const char* from, std::size_t size);
  /// What poll(2) has to say of the socket before it is worth trying again; 0: it is lost.
  short wants() const { return wants_; }
  /// Bytes have come that Receive has not given.
  bool HasMore() const;

 private:
  ssize_t Outcome(int done);

  ssl_st* ssl_;
  short wants_ = 0;
  bool is_lost_ = false;
};

class TlsIdentity {
 public:
  /// Errors: the files cannot be read, or are not a certificate (PEM, with its chain) and its key.
  static Result<std::unique_ptr<TlsIdentity>> Load(const TlsFiles& files);

  /// Looks, at most once a second, whether the files have changed.
  void Refresh();
  std::unique_ptr<TlsChannel> Open(int socket) const;

 private:
  using Context = std::shared_ptr<ssl_ctx_st>;
  struct Pair {
    std::optional<std::string> certificate, key;  // nothing: cannot be read
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  explicit TlsIdentity(TlsFiles files) : files_(std::move(files)) {}
  Pair Read() const;
  Result<Context> ContextOf(const Pair& pair) const;

  const TlsFiles files_;
  mutable std::mutex mutex_;
  Context context_;
  Pair used_;
  std::optional<Pair> failed_;
  std::string trouble_;  // with failed_; empty: it was said
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace ebb::web
