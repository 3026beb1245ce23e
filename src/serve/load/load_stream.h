// LoadStream: measures an answer as it comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"
#include "serve/load/response_reader.h"
#include "serve/load/sse_reader.h"

namespace skald::serve {

/// One request of a load. Times are seconds since it was sent.
struct LoadSample {
  int status = 0;                                                      // 0: there was no answer
  std::string error = {};                                              // empty: all went well
  double first = 0;                                                    // until the first text
  double last = 0;                                                     // until the last text
  double whole = 0;                                                    // until the answer's end
  std::vector<float> gaps = {};                                        // between two pieces of text
  int64_t prompt_tokens = -1, output_tokens = -1, cached_tokens = -1;  // as the server counts them; -1: it says nothing

  bool failed() const { return !error.empty(); }
};

class LoadStream {
 public:
  explicit LoadStream(HttpClock::time_point sent) : sent_(sent) {}

  /// Bytes of the answer's body. Throws Error (kBadFile) for bytes that are no stream of completions.
  void read(const ResponseReader& answer, std::string_view bytes);
  /// The answer is over, with this error of the connection or none.
  LoadSample finish(int status, const std::string& error);

 private:
  void event(std::string_view data);
  void count_text();
  double seconds() const { return std::chrono::duration<double>(HttpClock::now() - sent_).count(); }

  HttpClock::time_point sent_;
  SseReader events_;
  std::string refusal_;  // the body of an answer that is no stream
  LoadSample sample_;
  int64_t pieces_ = 0;
  bool over_ = false;  // it said that it is
};

}  // namespace skald::serve
