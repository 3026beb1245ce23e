// Reads tokens with an engine that has llama.h, and prints a line "token lead" for each but the first N: the token that the
// engine would have chosen greedily there, and how far its logit is above that of the token which is there. agree.py
// compiles this against each peer.
#include "follow.h"

#include <llama.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Engine {
 public:
  Engine(const char* path, int n_context) {
    llama_backend_init();
    model_ = llama_model_load_from_file(path, llama_model_default_params());
    if (!model_) throw std::runtime_error("the model does not load");
    n_vocab_ = llama_vocab_n_tokens(llama_model_get_vocab(model_));
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<uint32_t>(n_context);
    context_ = llama_init_from_model(model_, params);
    if (!context_) throw std::runtime_error("no context");
  }

  void add(const char* adapter) { add_adapter(model_, context_, adapter); }

  /// Computes all of the tokens at once; logits(i) are then those behind token i.
  void read(const std::vector<llama_token>& tokens) {
    const auto n = static_cast<int>(tokens.size());
    llama_batch batch = llama_batch_init(n, 0, 1);
    for (int i = 0; i < n; ++i) {
      batch.token[i] = tokens[static_cast<size_t>(i)];
      batch.pos[i] = i;
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = true;
    }
    batch.n_tokens = n;
    const int error = llama_decode(context_, batch);
    llama_batch_free(batch);
    if (error) throw std::runtime_error("llama_decode: " + std::to_string(error));
  }

  int n_vocab() const { return n_vocab_; }
  const float* logits(int i) const { return llama_get_logits_ith(context_, i); }

 private:
  llama_model* model_ = nullptr;
  llama_context* context_ = nullptr;
  int n_vocab_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const char* adapter = nullptr;
  if (argc > 2 && !std::strcmp(argv[1], "--lora")) {
    adapter = argv[2];
    argc -= 2;
    argv += 2;
  }
  if (argc < 5) {
    std::fprintf(stderr, "usage: follow [--lora FILE] MODEL N TOKEN...\n");
    return 2;
  }
  try {
    const int n_prompt = std::atoi(argv[2]);
    std::vector<llama_token> tokens;
    for (int i = 3; i < argc; ++i) tokens.push_back(std::atoi(argv[i]));
    const auto n = static_cast<int>(tokens.size());
    Engine engine(argv[1], n);
    if (adapter) engine.add(adapter);
    engine.read(tokens);
    for (int i = n_prompt; i < n; ++i) {
      const float* logits = engine.logits(i - 1);
      const float* best = std::max_element(logits, logits + engine.n_vocab());
      std::printf("%d %.5f\n", static_cast<int>(best - logits),
                  static_cast<double>(*best - logits[tokens[static_cast<size_t>(i)]]));
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "follow: %s\n", e.what());
    return 1;
  }
}
