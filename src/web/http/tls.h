#pragma once
// TLS on the connections of a server (OpenSSL). The certificate and its key are files that may be
// replaced while the server runs, as a kubelet does with a mounted Secret: later connections use
// the new pair. If the new pair cannot be used, the old one stays in use.
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

/// The decrypted bytes of one connection. A TlsChannel never waits, and does the handshake by
/// itself.
class TlsChannel {
 public:
  /// Sets the socket to non-blocking; the caller still owns it.
  TlsChannel(ssl_ctx_st& context, int socket);
  /// Tells the peer that no more bytes come, if that can be done at once.
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  /// The number of bytes; 0 if the peer has ended; negative: see wants().
  ssize_t Receive(char* to, std::size_t size);
  /// The number of bytes taken; negative: see wants().
  ssize_t Send(const char* from, std::size_t size);
  /// The event of poll(2) to wait for before the next try; 0 if the connection is lost.
  short wants() const { return wants_; }
  /// True if bytes have come that Receive has not returned yet.
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

  /// Checks, at most once a second, if the files have changed.
  void Refresh();
  std::unique_ptr<TlsChannel> Open(int socket) const;

 private:
  using Context = std::shared_ptr<ssl_ctx_st>;
  struct Pair {
    std::optional<std::string> certificate, key;  // nullopt if a file cannot be read
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
  std::string trouble_;  // reason that belongs to failed_; empty once reported
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace ebb::web
