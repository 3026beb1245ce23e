// The file of certificates on made-up systems.
#include "hub/certificates.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace skald {
namespace {

const char* nothing(const char*) { return nullptr; }

TEST(CertificateFile, IsTheSystems) {
  const test::TempDir dir;
  const std::string root = dir.path("");
  EXPECT_EQ(certificate_file(nothing, false, root), std::nullopt);
  for (const char* place :
       {"etc/ssl/ca-bundle.pem", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/certs/ca-certificates.crt"}) {
    std::filesystem::create_directories(std::filesystem::path(dir.path(place)).parent_path());
    dir.write(place, "x");
    EXPECT_EQ(std::filesystem::path(certificate_file(nothing, false, root).value()).lexically_normal(), dir.path(place));
  }
}

TEST(CertificateFile, IsLeftToALibraryThatKnowsIt) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path("etc/ssl"));
  dir.write("etc/ssl/cert.pem", "x");
  EXPECT_NE(certificate_file(nothing, false, dir.path("")), std::nullopt);
  EXPECT_EQ(certificate_file(nothing, true, dir.path("")), std::nullopt);
}

TEST(CertificateFile, IsTheOneThatTheUserNames) {
  const auto named = [](const char* name) { return std::string(name) == "SSL_CERT_FILE" ? "/my/file" : nullptr; };
  EXPECT_EQ(certificate_file(named, false), "/my/file");
  EXPECT_EQ(certificate_file(named, true), "/my/file");
  EXPECT_NE(certificate_file([](const char*) { return ""; }, false), "");
}

}  // namespace
}  // namespace skald
