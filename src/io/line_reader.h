// LineReader: the lines of a file or of standard input, one after the other, however long the file is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace skald {

class LineReader {
 public:
  struct Line {
    int64_t number;  // from 1
    std::string text = {};
    bool too_long = false;  // then it has no text
    int64_t begin = 0;      // of the text, in bytes from the file's beginning; 0 where it is too long
  };

  /// "-" is standard input. Lines of more than `longest` bytes are told apart and not kept. Throws Error (kNotFound,
  /// kBadInput) for folders and files that cannot be opened.
  LineReader(const std::string& path, int64_t longest);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Returns the next line that is not of white space alone, without its end; nothing at the end of the file, or when
  /// `go_on` says no. It is asked ten times a second while nothing comes. Throws Error (kDevice).
  std::optional<Line> next(const std::function<bool()>& go_on = {});
  /// Reads all that are left.
  void each(const std::function<void(const Line& line)>& read);

  /// Returns whether it can be read again: no pipe and no terminal.
  bool is_file() const;

 private:
  bool fill(const std::function<bool()>& go_on);

  std::string name_;
  int64_t longest_;
  int fd_;
  std::string buffer_ = {};
  size_t at_ = 0;  // of the unread bytes
  int64_t lines_ = 0, buffer_begin_ = 0;
  bool over_ = false;
};

}  // namespace skald
