#include "serve/fields/infill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "serve/api_error.h"
#include "serve/fields/generation_request.h"
#include "serve/fields/prompt.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

void append(std::vector<TokenId>& to, const std::vector<TokenId>& what) { to.insert(to.end(), what.begin(), what.end()); }

// Drops tokens of the front until `most` are left; their number.
int64_t keep_last(std::vector<TokenId>& tokens, int64_t most) {
  const int64_t over = std::max<int64_t>(0, std::ssize(tokens) - std::max<int64_t>(0, most));
  tokens.erase(tokens.begin(), tokens.begin() + over);
  return over;
}

std::vector<TokenId> plain_tokens(std::string_view text, ServedModel& model) {
  return model.tokenizer().encode(text, {.add_special = false, .parse_special = false});
}

// Texts of other files in the form in which models see repositories (Hui et al., 2024); the names that requests do not tell
// are llama-server's. Models without tokens for it get the texts with lines between them.
class Repository {
 public:
  explicit Repository(ServedModel& model) : model_(model), fill_(model.tokenizer().vocab().fill) {
    if (!fill_.repository) return;
    out_.push_back(*fill_.repository);
    add("myproject\n");
  }

  void add_file(const std::string& name, const std::string& text) {
    if (fill_.file)
      begin_file(name);
    else
      add("\n\n--- snippet ---\n\n");
    add(text);
  }
  // Of the file with the gap.
  void begin_file(const std::string& name) {
    if (!fill_.file) return;
    out_.push_back(*fill_.file);
    add(name + "\n");
  }
  std::vector<TokenId> take() { return std::move(out_); }

 private:
  void add(const std::string& text) { append(out_, plain_tokens(text, model_)); }

  ServedModel& model_;
  const FillTokens& fill_;
  std::vector<TokenId> out_;
};

std::vector<TokenId> read_extra(const Fields& fields, ServedModel& model) {
  Repository out(model);
  if (const Json* files = fields.list("input_extra"))
    for (size_t i = 0; i < files->size(); ++i) {
      const Fields file = Fields::of((*files)[i], fmt::format("{}[{}]", fields.path("input_extra"), i));
      const std::optional<std::string> text = file.text("text");
      if (!text) refuse_field(file.path("text"), "a string");
      out.add_file(file.text("filename").value_or("tmp"), *text);
    }
  out.begin_file("filename");
  return out.take();
}

}  // namespace

std::string lacks_for_infill(const ServedModel& model) {
  const FillTokens& fill = model.tokenizer().vocab().fill;
  std::vector<std::string_view> names;
  if (!fill.prefix) names.emplace_back("prefix");
  if (!fill.suffix) names.emplace_back("suffix");
  if (!fill.middle) names.emplace_back("middle");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<TokenId> infill_prompt(const Surroundings& around, ServedModel& model, bool suffix_first) {
  const Vocab& vocab = model.tokenizer().vocab();
  std::vector<TokenId> before = {*vocab.fill.prefix}, after = {*vocab.fill.suffix}, out;
  append(before, around.before);
  append(before, around.begun);
  append(after, around.after);
  if (vocab.add_bos && vocab.bos) out.push_back(*vocab.bos);
  append(out, around.extra);
  append(out, suffix_first ? after : before);
  append(out, suffix_first ? before : after);
  out.push_back(*vocab.fill.middle);
  return out;
}

bool cut_to(Surroundings& around, int64_t room) {
  const auto over = [&] {
    return std::ssize(around.extra) + std::ssize(around.before) + std::ssize(around.begun) + std::ssize(around.after) - room;
  };
  if (over() <= 0) return false;
  keep_last(around.extra, std::ssize(around.extra) - over());
  if (over() <= 0) return true;
  const int64_t left = std::max<int64_t>(0, room - std::ssize(around.begun));
  const int64_t after = std::min<int64_t>(std::ssize(around.after), std::max(left / 4, left - std::ssize(around.before)));
  around.after.resize(static_cast<size_t>(after));
  keep_last(around.before, left - after);
  return true;
}

std::vector<std::vector<TokenId>> read_infills(const Fields& fields, std::string_view key, ServedModel& model, size_t most,
                                               bool suffix_first) {
  if (const std::string lacks = lacks_for_infill(model); !lacks.empty())
    refuse_field(fields.path("suffix"), "none: the model " + model.id() + " has no tokens for infilling (" + lacks + ")");
  const std::string path = fields.path(key);
  const Json* prompt = fields.find(key);
  const bool many = prompt && prompt->is_array() && !prompt->empty() && std::ranges::none_of(*prompt, &Json::is_number);
  if (many && prompt->size() > most) refuse_field(path, fmt::format("at most {} prompts", most));
  const Json texts = many ? *prompt : Json::array({prompt ? *prompt : Json("")});
  const std::vector<TokenId> after = plain_tokens(*fields.text("suffix"), model);
  std::vector<std::vector<TokenId>> out;
  for (const Json& text : texts) {
    out.push_back(infill_prompt({.before = read_part(text, path, model), .after = after}, model, suffix_first));
    check_length(std::ssize(out.back()), model, path);
  }
  return out;
}

Surroundings read_surroundings(const Fields& fields, ServedModel& model) {
  const auto part = [&](std::string_view key) {
    const Json* json = fields.find(key);
    if (!json) refuse_field(fields.path(key), "a text");
    return read_part(*json, fields.path(key), model);
  };
  Surroundings out;
  out.before = part("input_prefix");
  out.after = part("input_suffix");
  out.extra = read_extra(fields, model);
  if (const auto begun = fields.text("prompt")) out.begun = model.tokenizer().encode(*begun, {.add_special = false});
  return out;
}

}  // namespace skald::serve
