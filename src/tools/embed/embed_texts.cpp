#include "tools/embed/embed_texts.h"

#include "base/error.h"

namespace skald {

std::vector<std::string> cut_texts(std::string_view file, std::string_view separator) {
  if (separator.empty()) fail(Errc::kBadInput, "the separator is empty");
  if (!file.ends_with(separator) && file.ends_with('\n')) file.remove_suffix(1);
  if (file.ends_with(separator)) file.remove_suffix(separator.size());
  std::vector<std::string> texts;
  for (bool last = false; !last;) {
    const size_t end = file.find(separator);
    last = end == std::string_view::npos;
    if (file.substr(0, end).empty()) fail(Errc::kBadInput, "text {} is empty", texts.size() + 1);
    texts.emplace_back(file.substr(0, end));
    if (!last) file.remove_prefix(end + separator.size());
  }
  return texts;
}

}  // namespace skald
