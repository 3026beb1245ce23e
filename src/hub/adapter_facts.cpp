#include "hub/adapter_facts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/meta.h"
#include "hub/adapter_folder.h"
#include "hub/names.h"
#include "io/gguf_parse.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kHead = int64_t{64} << 10;  // of a GGUF file or a card
constexpr size_t kLongestBase = 512;
constexpr std::string_view kBaseKey = "base_model:", kFence = "---";

// The first bytes of a regular file; none of another one, which could keep a reader waiting.
std::string head_of(const fs::path& path, int64_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<size_t>(most), '\0');
  file.read(text.data(), most);
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::string bounded(std::string_view base) { return base.size() <= kLongestBase ? std::string(base) : ""; }

std::string config_base(const std::string& text) {
  if (std::ssize(text) > kLongestAdapterText) return {};
  try {
    const nlohmann::json config = parse_json(text);
    const auto at = config.is_object() ? config.find("base_model_name_or_path") : config.end();
    return config.is_object() && at != config.end() && at->is_string() ? bounded(at->get_ref<const std::string&>()) : "";
  } catch (const Error&) {
    return {};
  }
}

AdapterFacts facts_of_folder(const fs::path& folder) {
  // One byte more tells that a file is too long.
  std::string base = config_base(head_of(folder / kAdapterConfig, kLongestAdapterText + 1));
  return {.base = base.empty() ? card_base(head_of(folder / kAdapterCard, kHead)) : std::move(base)};
}

std::string meta_text(const Meta& meta, std::string_view key) {
  const auto* const text = std::get_if<std::string>(meta.peek(key));
  return text ? bounded(*text) : "";
}

// "user/repo" of "https://huggingface.co/user/repo"; empty for another address.
std::string repo_of_url(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) return {};
  const size_t path = url.find('/', kScheme.size());
  if (path == url.npos) return {};
  while (url.ends_with('/')) url.remove_suffix(1);
  const auto name = find_hub_name(url.substr(std::min(path + 1, url.size())));
  return name && name->tag.empty() && name->file.empty() ? name->repo.id() : "";
}

std::optional<AdapterFacts> facts_of_file(const fs::path& path) {
  const std::string head = head_of(path, kHead);
  try {
    const Meta meta = gguf::parse_beginning(std::as_bytes(std::span(head)));
    if (meta_text(meta, "general.type") != "adapter") return std::nullopt;
    AdapterFacts facts{.base = repo_of_url(meta_text(meta, "general.base_model.0.repo_url")),
                       .arch = meta_text(meta, "general.architecture")};
    if (facts.base.empty()) facts.base = meta_text(meta, "general.base_model.0.name");
    return facts;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t first = text.find_first_not_of(kSpaces);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

// A YAML value on one line: plain, in quotes, or the first of a list in brackets.
std::string_view first_value(std::string_view text) {
  text = without_spaces(text);
  if (text.starts_with('[')) text = without_spaces(text.substr(1, text.find_first_of(",]") - 1));
  if (text.starts_with('"') || text.starts_with('\'')) return text.substr(1, text.find(text[0], 1) - 1);
  return without_spaces(text.substr(0, text.find(" #")));
}

}  // namespace

std::optional<AdapterFacts> adapter_facts(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return facts_of_file(path);
  if (!fs::exists(fs::path(path) / kAdapterConfig, error)) return std::nullopt;
  return facts_of_folder(path);
}

std::string card_base(std::string_view card) {
  if (without_spaces(take_line(card)) != kFence) return {};
  bool in_list = false;
  while (!card.empty()) {
    std::string_view line = take_line(card);
    if (without_spaces(line) == kFence) return {};
    if (in_list) {
      line = without_spaces(line);
      return line.starts_with('-') ? bounded(first_value(line.substr(1))) : "";
    }
    if (!line.starts_with(kBaseKey)) continue;
    const std::string_view value = first_value(line.substr(kBaseKey.size()));
    if (!value.empty()) return bounded(value);
    in_list = true;
  }
  return {};
}

std::string description(const AdapterFacts& facts) {
  const std::string kind = "an adapter (LoRA)";
  if (!facts.base.empty()) return kind + " for " + printable(facts.base);
  return facts.arch.empty() ? kind : kind + " for models of the architecture " + printable(facts.arch);
}

std::string base_word(const AdapterFacts& facts) {
  const auto name = find_hub_name(facts.base);
  const bool is_plain = name ? name->file.empty() : is_repo_word(facts.base);
  return is_plain ? facts.base : "MODEL";
}

}  // namespace skald
