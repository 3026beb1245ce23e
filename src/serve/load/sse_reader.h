// SseReader: the bytes of a stream of events (text/event-stream) into the data of its events, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace skald::serve {

class SseReader {
 public:
  /// `on_data` is called with the data of each event; lines of it are joined by line feeds. Throws Error (kBadFile) for an
  /// event of more than a MiB.
  void read(std::string_view bytes, const std::function<void(std::string_view)>& on_data);

 private:
  void end_line(const std::function<void(std::string_view)>& on_data);

  std::string line_ = {}, data_ = {};
  bool has_data_ = false, after_cr_ = false;
};

}  // namespace skald::serve
