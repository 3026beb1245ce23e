// A chat: each line of standard input is a message, and its answer is printed as it comes.
// chat [model.gguf]: without a file it talks to the story model that is part of the library.
#include <skald/skald.h>

#include <iostream>
#include <string>

namespace {

// What is computed for one turn serves the next ones: they belong to one conversation.
skald::Request request_for(const skald::ChatPrompt& prompt, const skald::Model& model) {
  skald::Request request;
  request.prompt = prompt.tokens;
  request.max_tokens = 64;
  request.show_special = true;  // formats of tool calls and reasoning have control tokens as markers
  request.conversation = 1;
  request.sampling = model.sampling_defaults();
  request.sampling.seed = 1;
  return request;
}

// A reply as it comes: its content is printed, the rest of it kept.
class Answer {
 public:
  explicit Answer(skald::ReplyStream stream) : stream_(std::move(stream)) {}

  void take(std::string_view text) { take(stream_.push(text)); }
  skald::ChatMessage finish(bool truncated) {
    take(stream_.finish(truncated));
    return {.role = "assistant", .content = reply_.content, .reasoning = reply_.reasoning, .calls = reply_.calls};
  }

 private:
  void take(const std::vector<skald::ReplyDelta>& deltas) {
    for (const skald::ReplyDelta& delta : deltas)
      if (delta.kind == skald::ReplyDelta::Kind::kContent) std::cout << delta.text << std::flush;
    reply_.add(deltas);
  }

  skald::ReplyStream stream_;
  skald::Reply reply_;
};

}  // namespace

int main(int argc, char** argv) try {
  const skald::Model model = argc > 1 ? skald::Model::load(argv[1]) : skald::Model::embedded();
  const skald::ChatFormat format(model);
  skald::Engine engine(model);

  skald::Chat chat;
  for (std::string line; std::getline(std::cin, line);) {
    chat.messages.push_back({.role = "user", .content = line});
    const skald::ChatPrompt prompt = format.prompt(chat);
    Answer answer(format.reply(prompt));
    skald::Request request = request_for(prompt, model);
    request.on_event = [&](const skald::Event& event) { answer.take(event.text); };  // on the engine's thread
    const skald::Result result = engine.generate(std::move(request));
    chat.messages.push_back(answer.finish(/*truncated=*/result.finish == skald::FinishReason::kLength));
    std::cout << "\n(" << result.timing.n_cached << " of " << result.timing.n_prompt << " tokens were known)\n";
  }
} catch (const skald::Error& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
