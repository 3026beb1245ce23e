// TLS, with a certificate that the test makes.
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::serve_test {
namespace {

using test::error_of;
using test::TempDir;
using ::testing::HasSubstr;

template <auto free_it>
struct Free {
  template <class T>
  void operator()(T* t) const {
    free_it(t);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

Key new_key() { return Key(EVP_EC_gen("P-256")); }

void write_key(const std::string& path, EVP_PKEY* key, const char* password = nullptr) {
  const std::unique_ptr<BIO, Free<BIO_free_all>> file(BIO_new_file(path.c_str(), "w"));
  const auto* bytes = reinterpret_cast<const unsigned char*>(password);
  PEM_write_bio_PrivateKey(file.get(), key, password ? EVP_aes_128_cbc() : nullptr, bytes, password ? 4 : 0, nullptr,
                           nullptr);
}

void write_certificate(const std::string& path, EVP_PKEY* key) {
  const std::unique_ptr<X509, Free<X509_free>> certificate(X509_new());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_sign(certificate.get(), key, EVP_sha256());
  const std::unique_ptr<BIO, Free<BIO_free_all>> file(BIO_new_file(path.c_str(), "w"));
  PEM_write_bio_X509(file.get(), certificate.get());
}

// A key and its certificate in a folder.
struct Files {
  TempDir folder = {};
  HttpOptions options = {};
  Files() {
    options.ssl_key = folder.path("key.pem");
    options.ssl_cert = folder.path("cert.pem");
    const Key key = new_key();
    write_key(options.ssl_key, key.get());
    write_certificate(options.ssl_cert, key.get());
  }
};

class TlsClient {
 public:
  explicit TlsClient(const RunningServer& server, int receive_buffer = 0)
      : client_(connect_to(server.port(), receive_buffer)),
        context_(SSL_CTX_new(TLS_client_method())),
        ssl_(SSL_new(context_.get())) {
    SSL_set_fd(ssl_.get(), client_.fd());
    EXPECT_EQ(SSL_connect(ssl_.get()), 1);
  }

  void send(const std::string& bytes) { EXPECT_GT(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())), 0); }
  // The bytes of one record; empty at the end.
  std::string receive() {
    std::string bytes(20000, '\0');
    const int got = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    bytes.resize(static_cast<size_t>(std::max(got, 0)));
    return bytes;
  }
  std::string receive_until(const std::string& mark) {
    std::string all;
    while (mark.empty() || !all.ends_with(mark)) {
      const std::string more = receive();
      if (more.empty()) break;
      all += more;
    }
    return all;
  }
  bool ended_in_order() { return SSL_get_shutdown(ssl_.get()) == SSL_RECEIVED_SHUTDOWN; }
  void say_goodbye() { SSL_shutdown(ssl_.get()); }

 private:
  Client client_;
  std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Free<SSL_free>> ssl_;
};

TEST(Tls, ServesRequestsStreamsAndLargeBodies) {
  const Files files;
  RunningServer server(files.options, [](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().path != "/s") return exchange->send({.body = exchange->take_body()});
    exchange->begin({});
    exchange->write("one");
    exchange->write("two");
    exchange->end();
  });
  EXPECT_THAT(server->address(), ::testing::StartsWith("https://127.0.0.1:"));
  TlsClient client(server);
  client.send(kGet);
  EXPECT_THAT(client.receive_until("0\r\n\r\n"), ::testing::EndsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
  const std::string body = std::string(5'000'000, 'x') + "end";
  client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  EXPECT_EQ(body_of(client.receive_until("")), body);
  EXPECT_TRUE(client.ended_in_order());
}

TEST(Tls, EachEventIsARecord) {
  const Files files;
  Parked parked;
  RunningServer server(files.options, parked.handler());
  TlsClient client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  client.receive_until("\r\n\r\n");
  for (const std::string piece : {"one", "two"}) {
    exchange->write(piece);
    EXPECT_EQ(client.receive(), "3\r\n" + piece + "\r\n");
  }
  exchange->end();
}

TEST(Tls, NothingIsLostForASlowReader) {
  const Files files;
  Parked parked;
  RunningServer server(files.options, parked.handler());
  TlsClient client(server, 4096);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  std::string want;
  for (int i = 0; i < 200; ++i) {
    const std::string piece(static_cast<size_t>(1 + i * 7919 % 40000), static_cast<char>('a' + i % 26));
    exchange->write(piece);
    want += piece;
  }
  exchange->end();
  std::string got, all = body_of(client.receive_until("\r\n0\r\n\r\n"));
  while (all != "0\r\n\r\n" && !all.empty()) {
    const size_t line = all.find("\r\n"), size = std::stoul(all, nullptr, 16);
    got += all.substr(line + 2, size);
    all.erase(0, line + 2 + size + 2);
  }
  EXPECT_TRUE(got == want);
}

TEST(Tls, ClientsThatLeaveAreNoticed) {
  const Files files;
  Signal gone;
  Parked parked;
  RunningServer server(files.options, parked.handler());
  for (const bool polite : {true, false}) {
    std::shared_ptr<Exchange> exchange;
    TlsClient waits(server);
    {
      TlsClient client(server);
      client.send(kGet);
      exchange = parked.next();
      exchange->when_gone([&] { gone.set(); });
      if (polite) client.say_goodbye();
    }
    gone.wait(polite ? 1 : 2);
    EXPECT_TRUE(exchange->gone());
  }
}

TEST(Tls, AHandshakeHasTheTimeOfARequest) {
  Files files;
  files.options.request_timeout = 0.05;
  RunningServer server(files.options);
  Client silent(server), plain(server);
  plain.send(kGet);
  plain.receive_until();  // an alert
  EXPECT_EQ(silent.receive_until(), "");
  server.wait_for_connections(0);
}

TEST(Tls, ConnectionsBeyondTheLimitGet503AfterTheHandshake) {
  Files files;
  files.options.max_connections = 1;
  RunningServer server(files.options);
  TlsClient first(server);
  {
    TlsClient second(server);
    const std::string answer = second.receive_until("");
    EXPECT_EQ(status_of(answer), 503);
    EXPECT_THAT(answer, HasSubstr("too many connections"));
  }
  first.send(kGet);
  EXPECT_EQ(status_of(first.receive_until("]")), 200);
}

TEST(Tls, ServesAUnixSocketToo) {
  Files files;
  files.options.host = files.folder.path("tls.sock");
  RunningServer server(files.options);
  EXPECT_EQ(server->address(), "unix:" + files.options.host);
}

TEST(Tls, NamesTheFileThatIsWrong) {
  const Files files;
  const auto message_of = [&](const std::string& key, const std::string& certificate) {
    HttpOptions options;
    options.port = 0;
    options.ssl_key = key;
    options.ssl_cert = certificate;
    return std::string(error_of([&] { HttpServer server(options, echo, plain_refusal); }).what());
  };
  const std::string key = files.options.ssl_key, certificate = files.options.ssl_cert;
  const std::string other = files.folder.path("other.pem"), locked = files.folder.path("locked.pem"),
                    missing = files.folder.path("missing.pem");
  write_key(other, new_key().get());
  write_key(locked, new_key().get(), "word");
  EXPECT_EQ(message_of(missing, certificate), missing + ": No such file or directory");
  EXPECT_EQ(message_of(key, missing), missing + ": No such file or directory");
  EXPECT_THAT(message_of(key, key), HasSubstr(key + ": no certificate in PEM"));
  EXPECT_THAT(message_of(certificate, certificate), HasSubstr(certificate + ": no key in PEM"));
  EXPECT_THAT(message_of(other, certificate), HasSubstr(other + ": no key in PEM that belongs to " + certificate));
  EXPECT_THAT(message_of(locked, certificate), HasSubstr(locked + ": no key in PEM"));
  EXPECT_THAT(message_of(key, ""), HasSubstr("there is only " + key));
}

}  // namespace
}  // namespace skald::serve_test
