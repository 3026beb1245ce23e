#include "hub/names.h"

#include <algorithm>

#include "base/error.h"
#include "base/terminal_text.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr size_t kLongestWord = 96, kLongestTag = 64, kLongestPath = 1024, kLongestComponent = 255;

bool is_letter_or_digit(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_word_character(char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }

bool is_word(std::string_view text, size_t longest) {
  return !text.empty() && text.size() <= longest && is_letter_or_digit(text[0]) &&
         std::ranges::all_of(text, is_word_character);
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Why a path is refused; null: it is not.
const char* wrong_with_component(std::string_view part) {
  if (part.empty()) return "a part of it is empty";
  if (part == "." || part.find("..") != std::string_view::npos) return "it has '.' for a part, or '..'";
  if (part.size() > kLongestComponent) return "a part of it is too long";
  return nullptr;
}

const char* wrong_with_path(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > kLongestPath) return "it is too long";
  if (path.find('\\') != std::string_view::npos) return "it has a backslash";
  for (std::string_view rest = path; !rest.empty();) {
    const CodePoint c = decode_front(rest);
    if (c.bytes == 0) return "it is not UTF-8";
    if (is_unsafe(c.value)) return "it has a control character";
    rest.remove_prefix(c.bytes);
  }
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (const char* wrong = wrong_with_component(path.substr(at, end - at))) return wrong;
    at = end + 1;
  }
  return nullptr;
}

std::string_view before(std::string_view text, char mark) { return text.substr(0, text.find(mark)); }

void check_tag(std::string_view text, std::string_view tag) {
  if (is_word(tag, kLongestTag)) return;
  fail(Errc::kBadInput, "{}: the tag after the colon must be letters, digits and '._-', as in :Q4_K_M", skald::quoted(text));
}

void check_file(std::string_view text, std::string_view file) {
  if (const char* wrong = wrong_with_path(file))
    fail(Errc::kBadInput, "{}: the file's path: {}", skald::quoted(text), wrong);
  if (!file.ends_with(".gguf"))
    fail(Errc::kBadInput, "{}: want USER/REPO, USER/REPO:TAG or USER/REPO/PATH.gguf", skald::quoted(text));
}

}  // namespace

std::string HubName::text() const { return repo.id() + (tag.empty() ? "" : ":" + tag) + (file.empty() ? "" : "/" + file); }

bool is_repo_word(std::string_view word) {
  return is_word(word, kLongestWord) && word.find("..") == std::string_view::npos &&
         word.find("--") == std::string_view::npos;
}

HubName parse_hub_name(std::string_view text) {
  const std::string_view user = before(text, '/');
  if (user.size() == text.size())
    fail(Errc::kBadInput, "{}: want USER/REPO, USER/REPO:TAG or USER/REPO/PATH.gguf", skald::quoted(text));
  std::string_view rest = text.substr(user.size() + 1);
  const std::string_view repo = rest.substr(0, rest.find_first_of(":/"));
  for (const std::string_view word : {user, repo})
    if (!is_repo_word(word))
      fail(Errc::kBadInput,
           "{}: {} cannot be a user's or a repository's name: want letters, digits and '._-', a letter or digit first, at "
           "most {} of them, without '..' and '--'",
           skald::quoted(text), skald::quoted(word), kLongestWord);
  rest.remove_prefix(repo.size());
  HubName out{.repo = {std::string(user), std::string(repo)}};
  if (rest.starts_with(':')) {
    out.tag = rest.substr(1);
    check_tag(text, out.tag);
  } else if (rest.starts_with('/')) {
    out.file = rest.substr(1);
    check_file(text, out.file);
  }
  return out;
}

std::optional<HubName> find_hub_name(std::string_view text) {
  try {
    return parse_hub_name(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_hub_path(std::string_view path) {
  if (const char* wrong = wrong_with_path(path))
    fail(Errc::kBadFile, "a file's name is refused: {}: {}", skald::quoted(path), wrong);
}

void check_revision(std::string_view revision) {
  const bool word = std::ranges::all_of(revision, [](char c) { return is_word_character(c) || c == '/'; });
  if (word && !revision.starts_with('-') && !wrong_with_path(revision)) return;
  fail(Errc::kBadInput, "revision {}: want a branch, a tag or a commit: letters, digits and '._-/'",
       skald::quoted(revision));
}

bool is_commit(std::string_view text) { return text.size() == 40 && is_hex(text); }
bool is_blob(std::string_view text) { return (text.size() == 40 || text.size() == 64) && is_hex(text); }

}  // namespace skald
