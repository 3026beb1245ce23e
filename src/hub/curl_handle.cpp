#include "hub/curl_handle.h"

#include <cstdlib>

#include "base/error.h"
#include "hub/certificates.h"

namespace skald {
namespace {

// libcurl wants this once, before threads use it.
void initialize_curl() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (done != CURLE_OK) fail(Errc::kDevice, "libcurl cannot be used: {}", curl_easy_strerror(done));
}

// A libcurl that was built for all systems knows the certificates of none, and others do not read the variable.
void choose_certificates(CURL* curl) {
  const curl_version_info_data* const built = curl_version_info(CURLVERSION_NOW);
  const bool knows = built->cainfo || built->capath;
  const auto environment = [](const char* name) { return std::getenv(name); };  // NOLINT(concurrency-mt-unsafe)
  if (const auto file = certificate_file(environment, knows)) set_curl(curl, CURLOPT_CAINFO, file->c_str());
}

}  // namespace

void set_curl_option(CURLcode code, int option) {
  if (code != CURLE_OK) fail(Errc::kInternal, "libcurl refuses option {}", option);
}

CurlHandle new_curl() {
  initialize_curl();
  CurlHandle out(curl_easy_init());
  if (!out) fail(Errc::kNoMemory, "libcurl has no memory");
  set_curl(out.get(), CURLOPT_NOSIGNAL, 1L);
  choose_certificates(out.get());
  return out;
}

}  // namespace skald
