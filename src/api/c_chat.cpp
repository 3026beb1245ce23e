// The C API: chats and replies.
#include <nlohmann/json.hpp>

#include "api/c_objects.h"
#include "api/c_support.h"
#include "text/chat/message_json.h"

struct skald_reply {
  void take(const std::vector<skald::ReplyDelta>& deltas);

  skald::ReplyStream stream;
  void (*on_delta)(const skald_delta* delta, void* user);
  void* user;
  skald::Reply reply = {};
};

namespace skald::c_api {
namespace {

skald_delta_kind kind_of(ReplyDelta::Kind kind) {
  switch (kind) {
    case ReplyDelta::Kind::kContent:
      return SKALD_DELTA_CONTENT;
    case ReplyDelta::Kind::kReasoning:
      return SKALD_DELTA_REASONING;
    case ReplyDelta::Kind::kCall:
      return SKALD_DELTA_CALL;
  }
  return SKALD_DELTA_CONTENT;
}

}  // namespace
}  // namespace skald::c_api

using namespace skald;         // NOLINT(google-build-using-namespace): the functions of C are in no namespace
using namespace skald::c_api;  // NOLINT(google-build-using-namespace)

void skald_reply::take(const std::vector<ReplyDelta>& deltas) {
  reply.add(deltas);
  if (!on_delta) return;
  for (const ReplyDelta& delta : deltas) {
    const skald_delta out{.kind = kind_of(delta.kind),
                          .text = delta.text.c_str(),
                          .text_size = delta.text.size(),
                          .index = delta.index,
                          .name = delta.call.name.c_str(),
                          .arguments = delta.call.arguments.c_str(),
                          .id = delta.call.id.c_str()};
    on_delta(&out, user);
  }
}

skald_status skald_chat_new(const skald_model* model, const char* chat_template, skald_chat** chat, skald_error* error) {
  return guarded(error, [&] {
    const std::string_view text = chat_template ? chat_template : "";
    wanted(chat, "chat") = new skald_chat{ChatFormat(wanted(model, "model").model, text)};
  });
}

void skald_chat_free(skald_chat* chat) { delete chat; }

skald_status skald_chat_prompt(const skald_chat* chat, const char* json, skald_prompt** prompt, skald_error* error) {
  return guarded(error, [&] {
    const std::string_view text = &wanted(json, "json");
    wanted(prompt, "prompt") = new skald_prompt{wanted(chat, "chat").format.prompt(text)};
  });
}

void skald_prompt_free(skald_prompt* prompt) { delete prompt; }

const char* skald_prompt_text(const skald_prompt* prompt, size_t* size) {
  if (size) *size = prompt->prompt.text.size();
  return prompt->prompt.text.c_str();
}

const skald_token* skald_prompt_tokens(const skald_prompt* prompt, size_t* n_tokens) {
  if (n_tokens) *n_tokens = prompt->prompt.tokens.size();
  return prompt->prompt.tokens.data();
}

skald_status skald_reply_new(const skald_chat* chat, const skald_prompt* prompt,
                             void (*on_delta)(const skald_delta* delta, void* user), void* user, skald_reply** reply,
                             skald_error* error) {
  return guarded(error, [&] {
    ReplyStream stream = wanted(chat, "chat").format.reply(wanted(prompt, "prompt").prompt);
    wanted(reply, "reply") = new skald_reply{std::move(stream), on_delta, user};
  });
}

skald_status skald_reply_push(skald_reply* reply, const char* text, size_t size, skald_error* error) {
  return guarded(error, [&] {
    skald_reply& to = wanted(reply, "reply");
    const std::span bytes = wanted(text, size, "text");
    to.take(to.stream.push({bytes.data(), bytes.size()}));
  });
}

skald_status skald_reply_finish(skald_reply* reply, bool truncated, skald_error* error) {
  return guarded(error, [&] {
    skald_reply& to = wanted(reply, "reply");
    to.take(to.stream.finish(truncated));
  });
}

skald_status skald_reply_message(const skald_reply* reply, skald_text* json, skald_error* error) {
  return guarded(error, [&] {
    const Reply& of = wanted(reply, "reply").reply;
    const ChatMessage message{
        .role = "assistant", .content = of.content, .reasoning = of.reasoning, .calls = of.calls, .call_id = {}, .name = {}};
    wanted(json, "json") = text_for_caller(message_json(message).dump());
  });
}

void skald_reply_free(skald_reply* reply) { delete reply; }
