#include "serve/fields/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "serve/api_error.h"
#include "serve/fields/generation_request.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

class PromptReader {
 public:
  PromptReader(ServedModel& model, std::string path) : model_(model), path_(std::move(path)) {}

  std::vector<TokenId> read_part(const Json& json) const {
    std::vector<TokenId> out;
    constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
    add_all(json, kPlain, kPlain, out);
    return out;
  }

  std::vector<TokenId> read(const Json& json) const {
    std::vector<TokenId> out;
    add_all(json, {.add_special = true}, {.add_special = false}, out);
    if (out.empty()) throw ApiError(400, path_ + ": it has no tokens", path_);
    check_length(std::ssize(out), model_, path_);
    return out;
  }
  [[noreturn]] void refuse() const { refuse_field(path_, "a text, token ids, or a list of either"); }

 private:
  void add_all(const Json& json, EncodeOptions first, EncodeOptions others, std::vector<TokenId>& out) const {
    if (json.is_string()) return add(json, first, out);
    if (!json.is_array()) refuse();
    for (size_t i = 0; i < json.size(); ++i) add(json[i], i == 0 ? first : others, out);
  }
  void add(const Json& part, EncodeOptions options, std::vector<TokenId>& out) const {
    if (part.is_string()) {
      const std::vector<TokenId> ids = model_.tokenizer().encode(part.get_ref<const std::string&>(), options);
      out.insert(out.end(), ids.begin(), ids.end());
      return;
    }
    if (!part.is_number()) refuse();
    const int64_t n_vocab = model_.model().n_vocab();
    const std::optional<int64_t> id = whole_number(part, 0, n_vocab - 1);
    if (!id) refuse_field(path_, fmt::format("token ids from 0 to {}", n_vocab - 1));
    out.push_back(static_cast<TokenId>(*id));
  }

  ServedModel& model_;
  std::string path_;
};

}  // namespace

std::vector<std::vector<TokenId>> read_prompts(const Fields& fields, std::string_view key, ServedModel& model, size_t most) {
  const std::string path = fields.path(key);
  const PromptReader reader(model, path);
  const Json* prompt = fields.find(key);
  if (!prompt) reader.refuse();
  const bool one = !prompt->is_array() || prompt->empty() || std::ranges::any_of(*prompt, &Json::is_number);
  if (one) return {reader.read(*prompt)};
  if (prompt->size() > most) refuse_field(path, fmt::format("at most {} prompts", most));
  std::vector<std::vector<TokenId>> out;
  for (const Json& item : *prompt) out.push_back(reader.read(item));
  return out;
}

std::vector<TokenId> read_part(const Json& json, const std::string& path, ServedModel& model) {
  return PromptReader(model, path).read_part(json);
}

std::vector<TokenId> read_ids(const Json& json, const std::string& path, int64_t n_vocab) {
  if (!json.is_array()) refuse_field(path, "a list of token ids");
  std::vector<TokenId> out;
  out.reserve(json.size());
  for (const Json& item : json) {
    const std::optional<int64_t> id = whole_number(item, 0, n_vocab - 1);
    if (!id) refuse_field(path, fmt::format("token ids from 0 to {}", n_vocab - 1));
    out.push_back(static_cast<TokenId>(*id));
  }
  return out;
}

}  // namespace skald::serve
