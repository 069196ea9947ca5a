#include "web/http/tls.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <utility>

namespace ebb::web {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::streamsize kLargestFile = 256 << 10;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

std::optional<std::string> ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string content(static_cast<std::size_t>(kLargestFile), '\0');
  file.read(content.data(), kLargestFile);
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

Owned<BIO> Reader(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Gives no passphrase for a key that has one, because nobody is there to ask.
int NoPassphrase(char*, int, int, void*) { return -1; }

std::string LastTrouble() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason ? reason : "no reason is known";
}

// The first certificate is the server's, the others lead from it to an authority.
bool UseChain(SSL_CTX& context, const std::string& pem) {
  const Owned<BIO> bio = Reader(pem);
  const Owned<X509> own(PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr));
  if (!own || SSL_CTX_use_certificate(&context, own.get()) != 1) return false;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr)) {
    if (SSL_CTX_add0_chain_cert(&context, next) == 1) continue;
    X509_free(next);
    return false;
  }
  ERR_clear_error();  // clears the error of the end of the file
  return true;
}

bool UseKey(SSL_CTX& context, const std::string& pem) {
  const Owned<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, &NoPassphrase, nullptr));
  return key && SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
}

std::shared_ptr<SSL_CTX> MakeContext() {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Sessions are not resumed, because tickets would be written before anybody reads.
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

}  // namespace

TlsChannel::TlsChannel(SSL_CTX& context, int socket) : ssl_(SSL_new(&context)) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  is_lost_ = !ssl_ || SSL_set_fd(ssl_, socket) != 1;
  if (!is_lost_) SSL_set_accept_state(ssl_);
}

TlsChannel::~TlsChannel() {
  ERR_clear_error();
  if (!is_lost_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
  SSL_free(ssl_);
}

ssize_t TlsChannel::Outcome(int done) {
  if (done > 0) return done;
  const int error = SSL_get_error(ssl_, done);
  wants_ = static_cast<short>(error == SSL_ERROR_WANT_READ    ? POLLIN
                              : error == SSL_ERROR_WANT_WRITE ? POLLOUT
                                                              : 0);
  if (error == SSL_ERROR_ZERO_RETURN) return 0;
  is_lost_ = wants_ == 0;
  return -1;
}

ssize_t TlsChannel::Receive(char* to, std::size_t size) {
  wants_ = 0;
  if (is_lost_) return -1;
  ERR_clear_error();
  return Outcome(SSL_read(ssl_, to, static_cast<int>(std::min<std::size_t>(size, INT_MAX))));
}

ssize_t TlsChannel::Send(const char* from, std::size_t size) {
  wants_ = 0;
  if (is_lost_) return -1;
  ERR_clear_error();
  return Outcome(SSL_write(ssl_, from, static_cast<int>(std::min<std::size_t>(size, INT_MAX))));
}

bool TlsChannel::HasMore() const { return !is_lost_ && SSL_pending(ssl_) > 0; }

Result<std::unique_ptr<TlsIdentity>> TlsIdentity::Load(const TlsFiles& files) {
  std::unique_ptr<TlsIdentity> identity(new TlsIdentity(files));
  identity->used_ = identity->Read();
  EBB_ASSIGN_OR_RETURN(identity->context_, identity->ContextOf(identity->used_));
  return identity;
}

// The content of the files is compared, not their times: replacing a link changes no file's time.
TlsIdentity::Pair TlsIdentity::Read() const {
  return {ContentOf(files_.certificate), ContentOf(files_.key)};
}

Result<TlsIdentity::Context> TlsIdentity::ContextOf(const Pair& pair) const {
  const auto wrong = [](const std::string& what, const std::string& file) {
    return Fail({ExitCode::kConfiguration, what, file, ""});
  };
  if (!pair.certificate) return wrong("cannot be read", files_.certificate);
  if (!pair.key) return wrong("cannot be read", files_.key);
  ERR_clear_error();
  const Context context = MakeContext();
  if (!context || !UseChain(*context, *pair.certificate))
    return wrong("is not a certificate in PEM: " + LastTrouble(), files_.certificate);
  if (!UseKey(*context, *pair.key))
    return wrong("is not the certificate's key in PEM, without a passphrase: " + LastTrouble(),
                 files_.key);
  return context;
}

// Reports a pair that fails only when it is seen a second time, because two files are not replaced
// at the same moment.
void TlsIdentity::Refresh() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  Pair pair = Read();
  if (pair == failed_) {
    if (!trouble_.empty()) files_.say(std::exchange(trouble_, "") + "; the former pair is used");
    return;
  }
  failed_.reset();
  if (pair == used_) return;
  auto context = ContextOf(pair);
  if (!context) {
    trouble_ = context.error().Message();
    failed_ = std::move(pair);
    return;
  }
  used_ = std::move(pair);
  files_.say("the certificate of " + files_.certificate + " was replaced");
  const std::lock_guard guard(mutex_);
  context_ = *std::move(context);
}

std::unique_ptr<TlsChannel> TlsIdentity::Open(int socket) const {
  const std::lock_guard guard(mutex_);
  return std::make_unique<TlsChannel>(*context_, socket);
}

}  // namespace ebb::web
