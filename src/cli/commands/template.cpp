// skald template: the prompt that a chat becomes.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/template.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_request.h"
#include "text/chat/chat_template.h"
#include "text/chat/template_source.h"
#include "tools/report/vocab_file.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

struct TemplateArgs {
  ModelFlags model;
  TemplateFlags chat_template;
  std::string messages, tools, documents, now, output = "text";
  bool generation_prompt = true, continue_final_message = false, list = false;
};

std::tm parse_time(const std::string& text) {
  std::tm out{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &out);
  if (!end || *end) throw UsageError(fmt::format("template: --now: \"{}\": want a time like 2026-03-07T09:05:02", text));
  out.tm_isdst = -1;
  std::mktime(&out);
  return out;
}

Json read_json(const std::string& path) { return parse_chat_json(read_text(path), path == "-" ? "standard input" : path); }

// Flags win over the file.
ChatRequest read_request(const TemplateArgs& o, const Flags& flags) {
  ChatRequest out = read_chat_request(read_json(o.messages), o.messages);
  if (!o.tools.empty()) out.tools = read_json(o.tools);
  if (!o.documents.empty()) out.documents = read_json(o.documents);
  if (!o.chat_template.kwargs.empty()) out.kwargs = parse_chat_json(o.chat_template.kwargs, "--chat-template-kwargs");
  if (o.continue_final_message) out.continue_final_message = true;
  if (flags.given("--add-generation-prompt")) out.add_generation_prompt = o.generation_prompt;
  if (o.continue_final_message && !flags.given("--add-generation-prompt")) out.add_generation_prompt = false;
  if (!o.now.empty()) out.now = parse_time(o.now);
  return out;
}

void check(const TemplateArgs& o, const Flags& flags) {
  o.chat_template.check("template");
  if (o.messages.empty()) throw UsageError("template: --messages: want a file with the messages, or - for standard input");
  const bool model = o.model.given();
  if (!model && !o.chat_template.given())
    throw UsageError("template: want a model (-m) or a template (--chat-template, --chat-template-file)");
  if (!model && o.output == "ids") throw UsageError("template: -o ids: want a model (-m), whose vocabulary has the tokens");
  if (o.continue_final_message && flags.given("--add-generation-prompt") && o.generation_prompt)
    throw UsageError("template: want one of --add-generation-prompt and --continue-final-message");
}

void run(const TemplateArgs& o, const Flags& flags) {
  if (o.list) {
    for (const BuiltinTemplate& t : builtin_templates()) fmt::print("{}\n", t.name);
    return;
  }
  check(o, flags);
  const ChatRequest request = read_request(o, flags);
  std::optional<Meta> meta;
  std::unique_ptr<Tokenizer> tokenizer;
  if (o.model.given()) {
    meta = check_usage([&] { return load_metadata(o.model.file(), o.model.options()); });
    if (o.output == "ids" || meta->has("tokenizer.ggml.model"))
      tokenizer = doing(o.model.file(), [&] { return Tokenizer::create(*meta); });
  }
  const ChatTemplate chat(o.chat_template.source(meta ? &*meta : nullptr, has_tools(request.tools)),
                          tokenizer ? special_texts(*tokenizer) : SpecialTexts());
  const MarkedText prompt = chat.render(request);
  if (o.output == "text") {
    std::fwrite(prompt.bytes().data(), 1, prompt.size(), stdout);
    return;
  }
  std::string line;
  for (TokenId id : prompt_tokens(*tokenizer, prompt)) line += fmt::format("{}{}", line.empty() ? "" : " ", id);
  fmt::print("{}\n", line);
}

Action declare_template(Flags& flags) {
  auto o = std::make_shared<TemplateArgs>();
  o->model.declare(flags);
  o->chat_template.declare(flags);
  flags.add("--list", o->list, "print the names of the built-in templates, one a line, and end");
  flags.group("Chat");
  flags.add("--messages", o->messages,
            "JSON file with a list of messages, or with a request of the chat API; -: standard input", "FILE");
  flags.add("--tools", o->tools, "JSON file with the tools that the model may call", "FILE");
  flags.add("--documents", o->documents, "JSON file with documents", "FILE");
  flags.add("--add-generation-prompt,!--no-add-generation-prompt", o->generation_prompt,
            "end with the beginning of an answer, the default");
  flags.add("--continue-final-message", o->continue_final_message,
            "end inside the last message, for the model to go on with it");
  flags.add("--now", o->now, "the time for templates that ask for it, as 2026-03-07T09:05:02. Default: now", "TIME");
  flags.group("Output");
  flags.add("-o,--output", o->output, "text: the prompt's bytes; ids: its tokens on one line, with -m", "text|ids");
  return [o, flags] { run(*o, flags); };
}

}  // namespace

extern const Command command_template;
const Command command_template{
    .name = "template",
    .summary = "Show the prompt that a chat becomes",
    .examples =
        "  skald template -m model.gguf --messages chat.json\n"
        "  echo '[{\"role\": \"user\", \"content\": \"Hi\"}]' | skald template --chat-template chatml --messages -\n"
        "  skald template -m model.gguf --messages chat.json --tools tools.json -o ids\n"
        "  skald template --list\n",
    .declare = declare_template};

}  // namespace skald
