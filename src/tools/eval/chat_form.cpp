#include "tools/eval/chat_form.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "text/chat/replies/reply_parser.h"
#include "tools/eval/fnv1a.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

// Templates that tell the date would give other prompts tomorrow.
std::tm fixed_date() {
  constexpr int kYearsSince1900 = 126, kThursday = 4;
  std::tm out{};
  out.tm_mday = 1;
  out.tm_year = kYearsSince1900;
  out.tm_wday = kThursday;
  return out;
}

// An answer may be quoted, or a list.
constexpr std::string_view kBetween = " ,.;:\n\"'`*-";

}  // namespace

ChatForm::ChatForm(const LoadedModel& model, ChatFormOptions options)
    : tokenizer_(model.tokenizer()),
      o_(std::move(options)),
      template_(o_.chat_template, special_texts(tokenizer_)),
      format_(detect_reply_format(o_.chat_template)),
      fingerprint_(fmt::format("{:016x} of {} tokens", fnv1a(o_.chat_template + '\0' + o_.system + '\0' + o_.kwargs.dump()),
                               o_.n_predict)) {
  ending_ = generation_prompt(render("Hi", true).bytes(), render("Hi", false).bytes());
}

MarkedText ChatForm::render(std::string_view user, bool generation_prompt) const {
  Json messages = Json::array();
  if (!o_.system.empty()) messages.push_back({{"role", "system"}, {"content", o_.system}});
  messages.push_back({{"role", "user"}, {"content", user}});
  return template_.render({.messages = std::move(messages),
                           .tools = {},
                           .documents = {},
                           .kwargs = o_.kwargs,
                           .add_generation_prompt = generation_prompt,
                           .now = fixed_date()});
}

EvalCase ChatForm::make(const EvalSuite& suite, const EvalText& text, int64_t length, uint64_t seed) const {
  const int64_t around = std::ssize(prompt_tokens(tokenizer_, render("", true)));
  // Text written piece by piece may be a few more tokens as a whole.
  for (int64_t room = length - around;;) {
    Rng rng(seed);
    EvalCase out = doing(fmt::format("in a chat whose template takes {} of {} tokens", around, length),
                         [&] { return suite.make(text, room, rng); });
    out.prompt = prompt_tokens(tokenizer_, render(text.decode(out.prompt), true));
    const int64_t over = std::ssize(out.prompt) - length;
    if (over <= 0) {
      out.n_generate = o_.n_predict;
      out.between = kBetween;
      return out;
    }
    room -= over;
  }
}

std::string ChatForm::content(std::span<const TokenId> reply, bool truncated) const {
  const std::string text = tokenizer_.decode(reply, /*special=*/true);
  return parse_reply(format_, text, {.generation_prompt = ending_}, truncated).content;
}

}  // namespace skald
