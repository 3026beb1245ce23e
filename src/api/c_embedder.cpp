// The C API: vectors of texts and scores of documents.
#include <algorithm>

#include "api/c_objects.h"
#include "api/c_support.h"
#include "skald/embedder.h"

using namespace skald;         // NOLINT(google-build-using-namespace): the functions of C are in no namespace
using namespace skald::c_api;  // NOLINT(google-build-using-namespace)

struct skald_embedder {
  skald_embedder(const Model& model, const EmbedderOptions& options) : embedder(model, options) {}

  Embedder embedder;
};

namespace skald::c_api {
namespace {

EmbedderOptions embedder_options(const skald_embedder_options& from) {
  EmbedderOptions out;
  out.device.n_threads = from.n_threads;
  out.cache.n_ctx = from.n_ctx;
  out.schedule.n_parallel = from.n_parallel;
  out.schedule.n_ubatch = from.n_ubatch;
  if (from.pooling < SKALD_POOLING_OF_FILE || from.pooling > SKALD_POOLING_RANK)
    fail(Errc::kBadInput, "pooling: there is no {}", static_cast<int>(from.pooling));
  if (from.pooling != SKALD_POOLING_OF_FILE) out.pooling = static_cast<Pooling>(from.pooling);
  return out;
}

void give(const std::vector<float>& numbers, float* to, const char* name) {
  std::ranges::copy(numbers, wanted(to, numbers.size(), name).data());
}

}  // namespace
}  // namespace skald::c_api

skald_embedder_options skald_embedder_defaults(void) {
  const ScheduleOptions schedule = EmbedderOptions().schedule;
  return {.n_threads = 0,
          .n_ctx = 0,
          .n_parallel = static_cast<int32_t>(schedule.n_parallel),
          .n_ubatch = static_cast<int32_t>(schedule.n_ubatch),
          .pooling = SKALD_POOLING_OF_FILE};
}

skald_status skald_embedder_new(const skald_model* model, const skald_embedder_options* options, skald_embedder** embedder,
                                skald_error* error) {
  return guarded(error, [&] {
    const EmbedderOptions how = options ? embedder_options(*options) : EmbedderOptions();
    wanted(embedder, "embedder") = new skald_embedder(wanted(model, "model").model, how);
  });
}

void skald_embedder_free(skald_embedder* embedder) { delete embedder; }
int64_t skald_embedder_width(const skald_embedder* embedder) { return embedder->embedder.width(); }

skald_status skald_embed(skald_embedder* embedder, const char* const* texts, size_t n_texts, bool normalize, bool truncate,
                         float* vectors, skald_error* error) {
  return guarded(error, [&] {
    Embedder& by = wanted(embedder, "embedder").embedder;
    std::vector<EmbedInput> inputs;
    for (const std::string& text : c_api::texts(texts, n_texts, "texts")) inputs.push_back(by.input(text, truncate));
    give(by.embed(inputs, normalize), vectors, "vectors");
  });
}

skald_status skald_rank(skald_embedder* embedder, const char* query, const char* const* documents, size_t n_documents,
                        bool truncate, float* scores, skald_error* error) {
  return guarded(error, [&] {
    Embedder& by = wanted(embedder, "embedder").embedder;
    const std::vector<std::string> texts = c_api::texts(documents, n_documents, "documents");
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    give(by.rank(&wanted(query, "query"), views, truncate), scores, "scores");
  });
}
