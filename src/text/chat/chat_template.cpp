#include "text/chat/chat_template.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/error.h"
#include "base/log.h"
#include "base/thread_seconds.h"
#include "text/chat/call_messages.h"
#include "text/chat/continuation.h"
#include "text/chat/jinja/run/protocol.h"
#include "text/chat/jinja/run/template.h"
#include "text/chat/json_values.h"
#include "text/chat/messages.h"
#include "text/chat/replies/reply_format.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm out{};
  localtime_r(&now, &out);
  return out;
}

void check_list(const Json& list, const char* what) {
  if (list.is_null()) return;
  if (!list.is_array()) fail(Errc::kBadInput, "{}: want a list of objects", what);
  for (size_t i = 0; i < list.size(); ++i)
    if (!list[i].is_object()) fail(Errc::kBadInput, "{}[{}]: want an object", what, i);
}

constexpr std::array kEnds = {"bos_token", "eos_token"};

// Warns of a prompt that lacks them.
void warn_of_missing_ends(const std::string& source, const SpecialTexts& special, const Json& kwargs) {
  for (const char* name : kEnds) {
    const bool known = std::ranges::find(special, name, &SpecialTexts::value_type::first) != special.end();
    if (!known && !kwargs.contains(name) && source.find(name) != std::string::npos)
      log(LogLevel::kWarn, "chat template: {} is not known: the prompt is without it", name);
  }
}

// One rendering of a chat, with its messages in one of their forms.
class Rendering {
 public:
  Rendering(const jinja::Template& made_of, const SpecialTexts& special, const ChatRequest& request,
            const jinja::Limits& limits)
      : template_(made_of),
        special_(special),
        request_(request),
        limits_(limits),
        now_(request.now ? *request.now : local_time()) {}

  /// Afterwards unread() tells which messages with text parts the template did not look into. `helped`: variables are there
  /// that some templates do not do without.
  MarkedText run(const Json& messages, bool helped = false) {
    unread_.clear();
    helped_ = helped;
    return template_.render(
        [&](jinja::Heap& heap) {
          jinja::Variables out = variables(heap);
          std::vector<jinja::Value> items;
          for (const Json& message : messages) items.push_back(value_of_message(heap, message));
          out.insert(out.begin(), {"messages", jinja::make_list(heap, std::move(items))});
          return out;
        },
        [&](const jinja::Variables& seen) { find_unread(messages, seen.front().second); }, now_, limits_);
  }

  const std::vector<size_t>& unread() const { return unread_; }
  bool helped() const { return helped_; }

 private:
  void find_unread(const Json& messages, const jinja::Value& seen) {
    const auto& items = seen.as<jinja::Sequence>().items;
    for (size_t i = 0; i < messages.size(); ++i) {
      if (!has_text_parts(messages[i])) continue;
      const jinja::Value* content = items[i].as<jinja::Dict>().find("content");
      const auto& parts = content->as<jinja::Sequence>().items;
      const bool read = std::ranges::any_of(parts, [](const jinja::Value& part) { return part.as<jinja::Dict>().was_read; });
      if (!read) unread_.push_back(i);
    }
  }

  jinja::Variables variables(jinja::Heap& heap) const {
    jinja::Variables out;
    const Json& tools = helped_ && request_.tools.is_null() ? kNoTools : request_.tools;
    out.emplace_back("tools", value_of_json(heap, tools));
    if (helped_) add_helps(heap, tools, out);
    if (helped_)
      for (const char* name : kEnds) out.emplace_back(name, jinja::make_text(heap, "", true));
    out.emplace_back("documents", value_of_json(heap, request_.documents));
    out.emplace_back("add_generation_prompt", jinja::Value::of(request_.add_generation_prompt));
    for (const auto& [name, text] : special_) out.emplace_back(name, jinja::make_text(heap, text, true));
    if (request_.kwargs.is_object())
      for (const auto& [name, value] : request_.kwargs.items()) out.emplace_back(name, value_of_json(heap, value));
    return out;
  }

  // Of Firefunction, as llama.cpp gives them.
  void add_helps(jinja::Heap& heap, const Json& tools, jinja::Variables& out) const {
    std::array<char, 64> now{};
    std::strftime(now.data(), now.size(), "%b %d %Y %H:%M:%S GMT", &now_);
    out.emplace_back("functions", value_of_json(heap, tools.empty() ? "" : tools.dump(2)));
    out.emplace_back("datetime", value_of_json(heap, now.data()));
  }

  inline static const Json kNoTools = Json::array();
  const jinja::Template& template_;
  const SpecialTexts& special_;
  const ChatRequest& request_;
  const jinja::Limits& limits_;
  std::tm now_;
  bool helped_ = false;
  std::vector<size_t> unread_;
};

Json joined(Json messages) {
  for (Json& message : messages)
    if (has_text_parts(message)) join_text_parts(message);
  return messages;
}

// The forms of the messages, the first being the one that templates are written for.
std::vector<Json> forms_of(const Json& messages) {
  std::vector<Json> out = {with_object_arguments(messages)};
  if (has_arguments(messages)) out.push_back(with_text_arguments(messages));
  if (std::ranges::any_of(messages, has_text_parts))
    for (size_t i = 0, count = out.size(); i < count; ++i) out.push_back(joined(out[i]));
  for (size_t i = 0, count = out.size(); i < count; ++i)
    if (Json plain = with_call_ids(with_plain_calls(out[i]), /*is_short=*/false); plain != out[i])
      out.push_back(std::move(plain));
  return out;
}

// The first form that the template takes; its first complaint where it takes none in the time that one rendering may take.
MarkedText render_first(Rendering& rendering, const std::vector<Json>& forms, std::chrono::milliseconds time,
                        size_t& taken) {
  const double end = thread_seconds() + std::chrono::duration<double>(time).count();
  std::optional<Error> first;
  for (const bool helped : {false, true}) {
    for (taken = 0; taken < forms.size(); ++taken) {
      try {
        return rendering.run(forms[taken], helped);
      } catch (const Error& error) {
        if (!first) first = error;
        if (thread_seconds() > end) throw Error(*first);
      }
    }
  }
  throw Error(*first);
}

}  // namespace

SpecialTexts special_texts(const Tokenizer& tokenizer) {
  const Vocab& vocab = tokenizer.vocab();
  SpecialTexts out;
  const auto add = [&](const char* name, const std::optional<TokenId>& id) {
    if (id) out.emplace_back(name, vocab.pieces[static_cast<size_t>(*id)]);
  };
  add("bos_token", vocab.bos);
  add("eos_token", vocab.eos);
  add("unk_token", vocab.unk);
  add("sep_token", vocab.sep);
  add("pad_token", vocab.pad);
  return out;
}

ChatTemplate::ChatTemplate(std::string source, SpecialTexts special, const jinja::Limits& limits)
    : source_(std::move(source)),
      special_(std::move(special)),
      limits_(limits),
      template_(std::make_unique<jinja::Template>(source_, limits)),
      short_ids_(detect_reply_format(source_).short_ids) {}

ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

MarkedText ChatTemplate::render(const ChatRequest& request) const {
  if (!request.kwargs.is_null() && !request.kwargs.is_object())
    fail(Errc::kBadInput, "chat template kwargs: want an object");
  if (request.continue_final_message && request.add_generation_prompt)
    fail(Errc::kBadInput, "a prompt that continues the last message has no generation prompt: want one of the two");
  check_list(request.tools, "tools");
  check_list(request.documents, "documents");
  Json messages = prepared_messages(request.messages);
  if (short_ids_) messages = with_call_ids(std::move(messages), /*is_short=*/true);
  std::optional<Continuation> continuation;
  if (request.continue_final_message) continuation.emplace(messages, source_);
  Rendering rendering(*template_, special_, request, limits_);
  std::vector<Json> forms = forms_of(messages);
  size_t taken = 0;
  MarkedText prompt = render_first(rendering, forms, limits_.time, taken);
  if (!rendering.unread().empty()) {
    for (size_t i : rendering.unread()) join_text_parts(forms[taken][i]);
    prompt = rendering.run(forms[taken], rendering.helped());
  }
  if (rendering.helped()) warn_of_missing_ends(source_, special_, request.kwargs);
  return continuation ? continuation->cut(prompt) : prompt;
}

std::vector<TokenId> prompt_tokens(const Tokenizer& tokenizer, const MarkedText& prompt) {
  const Vocab& vocab = tokenizer.vocab();
  std::vector<TokenId> ids = tokenizer.encode(prompt, {.add_special = false});
  if (!vocab.add_bos || !vocab.bos) return ids;
  const bool ends = vocab.eos && *vocab.eos == *vocab.bos;  // one token for both: it may be there as an end
  const bool there = ends ? !ids.empty() && ids[0] == *vocab.bos : std::ranges::find(ids, *vocab.bos) != ids.end();
  if (!there) ids.insert(ids.begin(), *vocab.bos);
  return ids;
}

std::string generation_prompt(std::string_view with, std::string_view without) {
  return with.starts_with(without) ? std::string(with.substr(without.size())) : "";
}

}  // namespace skald
