// Fuzzes the reader of requests: any bytes are requests, wait for more, or are refused with a status of 4xx or 5xx; what is
// read of bytes that come one by one is what is read of them at once; and no limit is exceeded. Where a malformed chunk is
// refused may depend on how it comes: Beast looks for the end of a quoted extension in all that is there.
//
// Input: what a client sends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/parser.h"

namespace {

using namespace skald::serve;

HttpOptions limits() {
  HttpOptions options;
  options.max_line = 100;
  options.max_header = 300;
  options.max_fields = 8;
  options.max_body = 200;
  return options;
}

// What a request was read as, or why it was refused.
std::string outcome(RequestReader& reader, RequestReader::State state) {
  const HttpRequest& request = reader.request();
  if (state == RequestReader::State::kRefused) {
    const HttpRefusal why = reader.refusal();
    if (why.status < 400 || why.status > 505 || why.message.empty()) std::abort();
    return "refused " + std::to_string(why.status) + why.message + why.method + why.path;
  }
  if (request.body.size() > 200 || request.headers.size() > 9 || request.method.empty() || request.path.empty())
    std::abort();
  std::string text = request.method + " " + request.path + "\n" + request.body + (reader.keeps_alive() ? "\nkept" : "\n");
  for (const HttpFields* fields : {&request.query, &request.headers})
    for (const auto& [name, value] : *fields) text.append("\n").append(name).append(":").append(value);
  return text;
}

// All that is read of `bytes`, which come in steps of `step`.
std::vector<std::string> read_all(std::string_view bytes, size_t step) {
  std::vector<std::string> outcomes;
  ByteQueue in;
  auto reader = std::make_unique<RequestReader>(limits());
  while (true) {
    const RequestReader::State state = reader->read(in);
    if (in.size() > 600 && state == RequestReader::State::kMore) std::abort();  // it must take or refuse
    if (state == RequestReader::State::kMore) {
      if (bytes.empty()) return outcomes;
      in.append(bytes.substr(0, step));
      bytes.remove_prefix(std::min(step, bytes.size()));
      continue;
    }
    outcomes.push_back(outcome(*reader, state));
    if (state == RequestReader::State::kRefused) return outcomes;
    reader = std::make_unique<RequestReader>(limits());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> one_by_one = read_all(bytes, 1), at_once = read_all(bytes, size + 1);
  for (size_t i = 0; i < std::min(one_by_one.size(), at_once.size()); ++i) {
    if (one_by_one[i].starts_with("refused") || at_once[i].starts_with("refused")) break;
    if (one_by_one[i] != at_once[i]) std::abort();
  }
  return 0;
}
