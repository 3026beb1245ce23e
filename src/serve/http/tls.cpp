#include "serve/http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/sockets.h"

namespace skald::serve {
namespace {

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

// OpenSSL's own socket BIO would send without kNoSignal, and a client that has left would raise SIGPIPE.
int descriptor_of(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

int bio_read(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(descriptor_of(bio), into, static_cast<size_t>(size), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(descriptor_of(bio), bytes, static_cast<size_t>(size), kNoSignal | MSG_DONTWAIT);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

class TlsSocket final : public Socket {
 public:
  explicit TlsSocket(std::unique_ptr<SSL, FreeSsl> ssl, int fd) : ssl_(std::move(ssl)), fd_(fd) {}

  IoResult handshake() override {
    ERR_clear_error();
    return result_of(SSL_do_handshake(ssl_.get()), 0);
  }

  IoResult read(std::span<char> into) override {
    ERR_clear_error();
    size_t got = 0;
    const int done = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
    return result_of(done, got);
  }

  IoResult write(std::span<const std::string_view> pieces) override {
    std::array<char, size_t{16} << 10> record;  // of the largest size
    size_t size = 0;
    for (const std::string_view piece : pieces) {
      const size_t step = std::min(piece.size(), record.size() - size);
      std::memcpy(record.data() + size, piece.data(), step);
      size += step;
    }
    ERR_clear_error();
    size_t sent = 0;
    const int done = SSL_write_ex(ssl_.get(), record.data(), size, &sent);
    return result_of(done, sent);
  }

  void finish() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ::shutdown(fd_, SHUT_WR);
  }

 private:
  IoResult result_of(int returned, size_t bytes) {
    if (returned > 0) return {IoResult::Kind::kDone, bytes};
    switch (SSL_get_error(ssl_.get(), returned)) {
      case SSL_ERROR_WANT_READ:
        return {IoResult::Kind::kWantRead};
      case SSL_ERROR_WANT_WRITE:
        return {IoResult::Kind::kWantWrite};
      case SSL_ERROR_ZERO_RETURN:
        return {IoResult::Kind::kEnd};
      default:
        return {IoResult::Kind::kFailed};
    }
  }

  std::unique_ptr<SSL, FreeSsl> ssl_;
  int fd_;
};

std::string openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : "unknown error";
}

void want_file(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0)
    fail(errno == ENOENT ? Errc::kNotFound : Errc::kBadFile, "{}: {}", path, std::strerror(errno));
}

// A key with a password is an error: there is no user to ask.
int no_password(char*, int, int, void*) { return -1; }

int choose_http1(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned int bytes,
                 void*) {
  static constexpr std::array<unsigned char, 9> kHttp1 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* out = nullptr;
  const int found = SSL_select_next_proto(&out, size, kHttp1.data(), kHttp1.size(), offered, bytes);
  *chosen = out;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// A context of OpenSSL, for servers and clients.
struct SslContext {
  explicit SslContext(const SSL_METHOD* side);
  std::unique_ptr<SSL, FreeSsl> over(int fd) const;

  std::unique_ptr<BIO_METHOD, FreeSsl> method;
  std::unique_ptr<SSL_CTX, FreeSsl> ssl;
};

SslContext::SslContext(const SSL_METHOD* side)
    : method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket")), ssl(SSL_CTX_new(side)) {
  if (!method || !ssl) fail(Errc::kNoMemory, "TLS cannot be used: {}", openssl_error());
  BIO_meth_set_read(method.get(), bio_read);
  BIO_meth_set_write(method.get(), bio_write);
  BIO_meth_set_ctrl(method.get(), bio_control);
  SSL_CTX_set_min_proto_version(ssl.get(), TLS1_2_VERSION);
  // Idle connections hold no buffers, and a write that is tried again may come from another place.
  SSL_CTX_set_mode(ssl.get(),
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// Null without memory.
std::unique_ptr<SSL, FreeSsl> SslContext::over(int fd) const {
  std::unique_ptr<SSL, FreeSsl> out(SSL_new(ssl.get()));
  BIO* bio = BIO_new(method.get());
  if (!out || !bio) {
    BIO_free(bio);
    return nullptr;
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(fd)));  // NOLINT
  BIO_set_init(bio, 1);
  SSL_set_bio(out.get(), bio, bio);
  return out;
}

}  // namespace

struct Tls::Context : SslContext {
  using SslContext::SslContext;
};

struct TlsClient::Context : SslContext {
  using SslContext::SslContext;
};

Tls::Tls(const std::string& key, const std::string& certificate) : context_(std::make_unique<Context>(TLS_server_method())) {
  SSL_CTX* ssl = context_->ssl.get();
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(ssl, no_password);
  SSL_CTX_set_alpn_select_cb(ssl, choose_http1, nullptr);
  want_file(certificate);
  want_file(key);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(ssl, certificate.c_str()) != 1)
    fail(Errc::kBadFile, "{}: no certificate in PEM: {}", certificate, openssl_error());
  if (SSL_CTX_use_PrivateKey_file(ssl, key.c_str(), SSL_FILETYPE_PEM) != 1)
    fail(Errc::kBadFile, "{}: no key in PEM that belongs to {}: {}", key, certificate, openssl_error());
}

Tls::~Tls() = default;

std::unique_ptr<Socket> Tls::socket(int fd) const {
  std::unique_ptr<SSL, FreeSsl> ssl = context_->over(fd);
  if (!ssl) return nullptr;
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsSocket>(std::move(ssl), fd);
}

TlsClient::TlsClient(bool verify) : context_(std::make_unique<Context>(TLS_client_method())), verify_(verify) {
  SSL_CTX* ssl = context_->ssl.get();
  if (!verify) return;
  if (SSL_CTX_set_default_verify_paths(ssl) != 1)
    fail(Errc::kDevice, "the system's certificates cannot be read: {}", openssl_error());
  SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
}

TlsClient::~TlsClient() = default;

std::unique_ptr<Socket> TlsClient::socket(int fd, const std::string& host) const {
  std::unique_ptr<SSL, FreeSsl> ssl = context_->over(fd);
  if (!ssl) return nullptr;
  SSL_set_connect_state(ssl.get());
  const bool address = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str()) == 1;
  if (!address) SSL_set_tlsext_host_name(ssl.get(), host.c_str());
  if (!address && verify_ && SSL_set1_host(ssl.get(), host.c_str()) != 1) return nullptr;
  return std::make_unique<TlsSocket>(std::move(ssl), fd);
}

std::string tls_error() { return openssl_error(); }

}  // namespace skald::serve
