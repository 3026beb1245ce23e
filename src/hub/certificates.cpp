#include "hub/certificates.h"

#include <array>
#include <filesystem>

namespace skald {

std::optional<std::string> certificate_file(const Environment& environment, bool knows, const std::string& root) {
  if (const char* const named = environment("SSL_CERT_FILE"); named && *named) return named;
  if (knows) return std::nullopt;
  constexpr std::array kPlaces = {"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch
                                  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora
                                  "/etc/pki/tls/certs/ca-bundle.crt",                   // older Fedora, Red Hat
                                  "/etc/ssl/ca-bundle.pem",                             // openSUSE
                                  "/etc/ssl/cert.pem"};                                 // Alpine
  std::error_code ignored;
  for (const char* place : kPlaces)
    if (std::filesystem::is_regular_file(root + place, ignored)) return root + place;
  return std::nullopt;
}

}  // namespace skald
