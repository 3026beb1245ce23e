// Tells a story: asks an engine to continue a text and prints the continuation as it comes.
// simple [model.gguf]: without a file it uses the story model that is part of the library.
#include <skald/skald.h>

#include <iostream>

int main(int argc, char** argv) try {
  const skald::Model model = argc > 1 ? skald::Model::load(argv[1]) : skald::Model::embedded();
  skald::Engine engine(model);  // one thread per CPU; up to four requests run at the same time

  const std::string prompt = "Once upon a time";
  skald::Request request;
  request.prompt = model.tokenize(prompt);
  request.max_tokens = 64;
  request.sampling.seed = 1;                                                                    // the same story every time
  request.on_event = [](const skald::Event& event) { std::cout << event.text << std::flush; };  // on the engine's thread

  std::cout << prompt << std::flush;
  skald::Submission story =
      engine.submit(std::move(request));  // returns at once; engine.cancel(story.id) would end it early
  const skald::Result result = story.result.get();
  std::cout << "\n\n" << result.tokens.size() << " tokens, " << result.timing.generate_seconds << " seconds\n";
} catch (const skald::Error& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
