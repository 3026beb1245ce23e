// Answers of a hub's API: JSON of the network, which is checked here. https://huggingface.co/docs/hub/api
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

struct HubFile {
  std::string path;  // checked by check_hub_path()
  int64_t size = 0;
  std::string blob;  // the content's name: its SHA-256, or of small files git's SHA-1
};

/// Reads the commit of a revision. Throws kBadFile for another answer.
std::string read_commit(std::string_view text);
/// Reads the GGUF files and the adapter's files in a page of a tree. Throws kBadFile for another answer, and for names and
/// numbers that are refused.
std::vector<HubFile> read_model_files(std::string_view text);

}  // namespace skald
