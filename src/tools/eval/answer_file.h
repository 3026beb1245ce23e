// AnswerFile: answers that a long evaluation has so far, a JSON object per line, so that it can go on after an end.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "tools/eval/evaluate.h"

namespace skald {

class AnswerFile {
 public:
  /// Reads the answers of the file, if it is there; an incomplete last line is left out. `header` names their settings.
  /// Throws kBadInput for a file with another header, kBadFile for one that is none, kNotFound where it cannot be written.
  /// An empty path: answers are kept in memory.
  AnswerFile(const std::string& path, const std::string& header);

  /// Returns null where there is none.
  const EvalAnswer* find(const std::string& key) const;
  void add(const std::string& key, const EvalAnswer& answer);

 private:
  void read(const std::string& header);
  void write(const std::string& line);

  std::string path_;
  std::ofstream out_;
  std::map<std::string, EvalAnswer> answers_;
};

}  // namespace skald
