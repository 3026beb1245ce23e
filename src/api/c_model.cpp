// The C API: models and tokens.
#include <string>

#include "api/c_objects.h"
#include "api/c_support.h"
#include "skald/version.h"

namespace skald::c_api {
namespace {

std::vector<ControlVector> control_vectors(const skald_load_options& options) {
  std::vector<ControlVector> out;
  for (const skald_control_vector& v : wanted(options.control_vectors, options.n_control_vectors, "control_vectors"))
    out.push_back({.path = &wanted(v.path, "control_vectors: path"), .scale = v.scale});
  return out;
}

LoadOptions load_options(const skald_load_options* options) {
  if (!options) return {};
  return {.mmap = options->mmap,
          .override_kv = texts(options->override_kv, options->n_override_kv, "override_kv"),
          .calibration = options->calibration ? options->calibration : "",
          .control_vectors = control_vectors(*options),
          .control_layers = {options->control_first, options->control_last}};
}

EncodeOptions encode_options(const skald_encode_options* options) {
  if (!options) return {};
  return {.add_special = options->add_special, .parse_special = options->parse_special};
}

skald_token_info info_of(const Vocabulary& vocabulary, TokenId token) {
  const std::string_view bytes = vocabulary.bytes(token);
  return {.bytes = bytes.data(),
          .size = bytes.size(),
          .kind = static_cast<skald_token_kind>(vocabulary.kind(token)),
          .ends_text = vocabulary.ends_text(token)};
}

SpecialToken special_of(skald_special which) {
  if (which < SKALD_BOS || which > SKALD_PAD) fail(Errc::kBadInput, "which: no special token has the number {}", int{which});
  return static_cast<SpecialToken>(which);
}

}  // namespace
}  // namespace skald::c_api

using namespace skald;         // NOLINT(google-build-using-namespace): the functions of C are in no namespace
using namespace skald::c_api;  // NOLINT(google-build-using-namespace)

const char* skald_version(void) {
  static const std::string version = build_info().version;
  return version.c_str();
}

skald_load_options skald_load_defaults(void) {
  skald_load_options out{};
  out.mmap = LoadOptions().mmap;
  return out;
}

skald_encode_options skald_encode_defaults(void) {
  const EncodeOptions usual;
  return {.add_special = usual.add_special, .parse_special = usual.parse_special};
}

skald_status skald_model_load(const char* path, const skald_load_options* options, skald_model** model, skald_error* error) {
  return guarded(
      error, [&] { wanted(model, "model") = new skald_model(Model::load(&wanted(path, "path"), load_options(options))); });
}

skald_status skald_lora_load(const skald_model* model, const char* path, skald_lora** lora, skald_error* error) {
  return guarded(error, [&] {
    wanted(lora, "lora") = new skald_lora{Lora::load(wanted(model, "model").model, &wanted(path, "path"))};
  });
}

void skald_lora_free(skald_lora* lora) { delete lora; }

skald_status skald_model_embedded(skald_model** model, skald_error* error) {
  return guarded(error, [&] { wanted(model, "model") = new skald_model(Model::embedded()); });
}

void skald_model_free(skald_model* model) { delete model; }

const char* skald_model_name(const skald_model* model) { return model->name.c_str(); }
const char* skald_model_architecture(const skald_model* model) { return model->architecture.c_str(); }
int64_t skald_model_n_vocab(const skald_model* model) { return model->model.n_vocab(); }
int64_t skald_model_n_ctx_train(const skald_model* model) { return model->model.n_ctx_train(); }

skald_status skald_tokenize(const skald_model* model, const char* text, const skald_encode_options* options,
                            skald_tokens* tokens, skald_error* error) {
  return guarded(error, [&] {
    const std::string_view bytes = &wanted(text, "text");
    wanted(tokens, "tokens") = tokens_for_caller(wanted(model, "model").model.tokenize(bytes, encode_options(options)));
  });
}

skald_status skald_tokenize_pieces(const skald_model* model, const skald_text_piece* pieces, size_t n_pieces,
                                   const skald_encode_options* options, skald_tokens* tokens, skald_error* error) {
  return guarded(error, [&] {
    std::vector<TextPiece> all;
    for (const skald_text_piece& piece : wanted(pieces, n_pieces, "pieces")) {
      const std::span text = wanted(piece.text, piece.size, "pieces: text");
      all.push_back({.text = {text.data(), text.size()}, .trusted = piece.trusted});
    }
    wanted(tokens, "tokens") = tokens_for_caller(wanted(model, "model").model.tokenize(all, encode_options(options)));
  });
}

skald_status skald_detokenize(const skald_model* model, const skald_token* tokens, size_t n_tokens, bool special,
                              skald_text* text, skald_error* error) {
  return guarded(error, [&] {
    const std::span ids = wanted(tokens, n_tokens, "tokens");
    wanted(text, "text") = text_for_caller(wanted(model, "model").model.detokenize(ids, special));
  });
}

skald_status skald_vocabulary_size(const skald_model* model, int64_t* size, skald_error* error) {
  return guarded(error, [&] { wanted(size, "size") = wanted(model, "model").model.vocabulary().size(); });
}

skald_status skald_token_look_up(const skald_model* model, skald_token token, skald_token_info* info, skald_error* error) {
  return guarded(error, [&] { wanted(info, "info") = info_of(wanted(model, "model").model.vocabulary(), token); });
}

skald_status skald_token_special(const skald_model* model, skald_special which, skald_token* token, skald_error* error) {
  return guarded(error, [&] {
    const Vocabulary vocabulary = wanted(model, "model").model.vocabulary();
    wanted(token, "token") = vocabulary.special(special_of(which)).value_or(-1);
  });
}

skald_status skald_token_find(const skald_model* model, const char* spelling, skald_token* token, skald_error* error) {
  return guarded(error, [&] {
    const Vocabulary vocabulary = wanted(model, "model").model.vocabulary();
    wanted(token, "token") = vocabulary.find(&wanted(spelling, "spelling")).value_or(-1);
  });
}
