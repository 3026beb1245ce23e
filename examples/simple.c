/* Tells a story through the C API, and what else its first word might have been.
 * simple [model.gguf]: without a file it uses the story model that is part of the library. */
#include <math.h>
#include <skald/c.h>
#include <stdio.h>
#include <string.h>

/* On the engine's thread. */
static bool print_text(const skald_event* event, void* user) {
  int* n_sentences = user;
  fwrite(event->text, 1, event->text_size, stdout);
  fflush(stdout);
  if (event->text_size && memchr(event->text, '.', event->text_size)) ++*n_sentences;
  return *n_sentences == 2; /* true ends the text */
}

static skald_status print_alternatives(const skald_model* model, const skald_result* result, skald_error* error) {
  const skald_token_log_prob* top;
  size_t n_top;
  skald_status status = skald_result_top(result, 0, 0, &top, &n_top, error);
  for (size_t i = 0; status == SKALD_OK && i < n_top; ++i) {
    skald_token_info info;
    status = skald_token_look_up(model, top[i].token, &info, error);
    if (status == SKALD_OK) printf("%5.1f%%%.*s\n", 100 * exp(top[i].log_prob), (int)info.size, info.bytes);
  }
  return status;
}

static skald_status tell_story(const skald_model* model, skald_engine* engine, skald_error* error) {
  const char* const prompt = "Once upon a time";
  skald_tokens tokens;
  skald_status status = skald_tokenize(model, prompt, NULL, &tokens, error);
  if (status != SKALD_OK) return status;

  int n_sentences = 0;
  skald_request request = skald_request_defaults(model);
  request.prompt = tokens.ids;
  request.n_prompt = tokens.size;
  request.max_tokens = 64;
  request.top_log_probs = 3;
  request.sampling.seed = 1;
  request.on_event = print_text;
  request.user = &n_sentences;
  printf("%s", prompt);
  skald_result* result;
  status = skald_generate(engine, &request, &result, error);
  skald_tokens_free(&tokens);
  if (status != SKALD_OK) return status;

  printf("\n\n%lld tokens; the first might have been:\n", (long long)skald_result_timing(result).n_generated);
  status = print_alternatives(model, result, error);
  skald_result_free(result);
  return status;
}

int main(int argc, char** argv) {
  skald_error error;
  skald_model* model = NULL;
  skald_engine* engine = NULL;
  skald_status status = argc > 1 ? skald_model_load(argv[1], NULL, &model, &error) : skald_model_embedded(&model, &error);
  if (status == SKALD_OK) status = skald_engine_new(model, NULL, &engine, &error);
  if (status == SKALD_OK) status = tell_story(model, engine, &error);
  if (status != SKALD_OK) fprintf(stderr, "%s\n", error.message);
  skald_engine_free(engine);
  skald_model_free(model);
  return status == SKALD_OK ? 0 : 1;
}
