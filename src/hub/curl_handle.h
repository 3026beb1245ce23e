// What all uses of libcurl begin with.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace skald {

struct FreeCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
using CurlHandle = std::unique_ptr<CURL, FreeCurl>;

/// Makes a handle that raises no signals and trusts this machine's certificates (hub/certificates.h). Throws kNoMemory and
/// kDevice.
CurlHandle new_curl();

/// Sets an option. Throws kInternal where libcurl refuses it.
void set_curl_option(CURLcode code, int option);
template <class T>
void set_curl(CURL* curl, CURLoption option, T value) {
  set_curl_option(curl_easy_setopt(curl, option, value), int{option});
}

}  // namespace skald
