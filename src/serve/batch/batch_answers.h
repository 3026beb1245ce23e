// BatchAnswers: where the answers to a batch's requests lie in several files, in some 100 bytes each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "serve/batch/batch_ids.h"
#include "serve/batch/batch_output.h"

namespace skald::serve {

class BatchAnswers {
 public:
  /// Reads a file of answers; harmless where it is not there. An answer that was cut off at its end does not count. Throws
  /// Error (kBadInput) naming a line of it that is no answer.
  void read(const std::string& path);

  /// Returns the answer to a request, as its line with its end, which is taken then; none where there is none.
  struct Taken {
    std::string text;
    BatchRecord record;
  };
  std::optional<Taken> take(const std::optional<std::string>& custom_id, int64_t line);

  /// Names the requests that have several answers, as messages do: "a in answers.0-of-2.jsonl and answers.1-of-2.jsonl".
  const std::vector<std::string>& doubles() const { return doubles_; }
  /// Names the requests of the answers that were not taken.
  std::vector<std::string> left();

 private:
  struct Place {
    int64_t file, begin, bytes;
    bool taken = false;
  };
  void add(const BatchRecord& record, Place place);
  const std::string& path_of(const Place& place) const { return files_[static_cast<size_t>(place.file)]; }
  std::string text_at(const Place& place);
  BatchRecord record_at(const std::string& text, const Place& place) const;

  std::vector<std::string> files_;
  std::vector<Place> places_;
  BatchIds ids_;  // numbers: of places
  std::vector<std::string> doubles_;
  std::optional<Descriptor> open_;  // answers of neighbours are in the same file
  int64_t open_file_ = -1;
};

/// Names a request in messages.
std::string shown_name(const std::optional<std::string>& custom_id, int64_t line);

}  // namespace skald::serve
