// ResponseReader: the bytes of an answer of HTTP/1.1 into its status, its headers and its body, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

class ResponseReader {
 public:
  enum class State : uint8_t { kMore, kDone };

  /// `sink` gets the body's bytes as they come. Throws Error (kBadFile) naming the part that is no HTTP; so are bytes after
  /// the answer.
  State read(std::string_view bytes, const std::function<void(std::string_view)>& sink);
  /// The server sends no more. Throws Error where the answer is not whole.
  void end();

  int status() const { return status_; }  // 0: not there yet
  /// Returns a header's first value; empty where there is none. `name` in lower case.
  std::string_view header(std::string_view name) const;
  /// After kDone: another request may follow.
  bool keeps_alive() const { return keeps_alive_; }

 private:
  enum class Part : uint8_t { kStatus, kHeaders, kLength, kUntilEnd, kChunkSize, kChunk, kChunkEnd, kTrailers, kDone };
  bool take_line(std::string_view& bytes);
  void read_line();
  void read_status();
  void read_header();
  void begin_body();
  void read_chunk_size();

  Part part_ = Part::kStatus;
  std::string line_ = {};
  size_t head_bytes_ = 0;
  int status_ = 0;
  bool keeps_alive_ = true;
  HttpFields headers_ = {};
  uint64_t left_ = 0;  // of the body, or of a chunk
};

}  // namespace skald::serve
