#include "tools/chat/chat_file.h"

#include <filesystem>
#include <span>

#include "base/error.h"
#include "io/output_file.h"
#include "text/chat/chat_json.h"
#include "text/text_file.h"

namespace skald {

void save_chat(const std::string& path, const nlohmann::ordered_json& messages, bool over) {
  std::error_code error;
  if (!over && std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    fail(Errc::kBadInput, "{}: is there already; /save! replaces it", path);
  const std::string text = messages.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  OutputFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

nlohmann::ordered_json load_chat(const std::string& path) { return parse_chat_json(read_text_file(path), path); }

}  // namespace skald
