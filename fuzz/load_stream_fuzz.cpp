// Fuzzes the reader of answers that a load measures: any bytes are an answer or are refused as kBadFile, what is read of
// bytes that come one by one is what is read of them at once, and nothing is counted that did not come.
//
// Input: what a server sends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "serve/load/load_stream.h"

namespace {

using namespace skald;
using namespace skald::serve;

// What an answer was read as.
std::string read_all(std::string_view bytes, size_t step) {
  ResponseReader reader;
  LoadStream stream(HttpClock::now());
  std::string error;
  ResponseReader::State state = ResponseReader::State::kMore;
  try {
    while (!bytes.empty() && state == ResponseReader::State::kMore) {
      const std::string_view piece = bytes.substr(0, step);
      bytes.remove_prefix(piece.size());
      state = reader.read(piece, [&](std::string_view body) { stream.read(reader, body); });
    }
    if (state == ResponseReader::State::kMore) reader.end();
  } catch (const Error& e) {
    if (e.code() != Errc::kBadFile) std::abort();
    error = e.what();
  }
  const LoadSample sample = stream.finish(reader.status(), error);
  if (sample.first > sample.last || sample.last > sample.whole) std::abort();
  // Where bytes are refused that came with others, their events may have been counted or not.
  if (!error.empty() || !bytes.empty()) return "refused";
  return std::to_string(sample.status) + ' ' + sample.error + ' ' + std::to_string(sample.gaps.size()) + ' ' +
         std::to_string(sample.prompt_tokens) + ' ' + std::to_string(sample.output_tokens) + ' ' +
         std::to_string(sample.cached_tokens);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (read_all(bytes, 1) != read_all(bytes, std::max<size_t>(size, 1))) std::abort();
  return 0;
}
