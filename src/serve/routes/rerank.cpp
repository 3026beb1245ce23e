// POST /v1/rerank: documents in the order in which they fit a query, as Jina's and Cohere's APIs have it.
#include <fmt/format.h>

#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"
#include "tools/embed/embed_report.h"

namespace skald::serve {
namespace {

constexpr size_t kMostDocuments = 2048;

std::vector<std::string> read_documents(const Fields& fields) {
  const Json* list = fields.list("documents");
  if (!list || list->empty() || list->size() > kMostDocuments)
    refuse_field("documents", fmt::format("a list of 1 to {} documents", kMostDocuments));
  std::vector<std::string> out;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    const std::string path = fmt::format("documents[{}]", i);
    if (item.is_string()) {
      out.push_back(item.get<std::string>());
      continue;
    }
    const std::optional<std::string> text = Fields::of(item, path).text("text");
    if (!text) refuse_field(path + ".text", "a string");
    out.push_back(*text);
  }
  return out;
}

void check_lengths(Embedder& ranker, const std::string& query, const std::vector<std::string>& documents) {
  const int64_t n_ctx = ranker.n_ctx();
  for (size_t i = 0; i < documents.size(); ++i) {
    const int64_t n = std::ssize(ranker.pair(query, documents[i]).tokens);
    if (n <= n_ctx) continue;
    const std::string path = fmt::format("documents[{}]", i);
    ApiError e(400, fmt::format("{} has {} tokens with the query, and the model reads {}", path, n, n_ctx), path,
               "context_length_exceeded");
    e.too_long = {n, n_ctx};
    throw e;
  }
}

struct RankRequest {
  std::string query;
  std::vector<std::string> documents;
  int64_t top;  // -1: all
  bool with_documents;
};

RankRequest read(const Fields& fields, ServedModel& model) {
  const std::optional<std::string> query = fields.text("query");
  if (!query || query->empty()) refuse_field("query", "a text");
  RankRequest out{.query = *query,
                  .documents = read_documents(fields),
                  .top = fields.integer("top_n", 1, std::numeric_limits<int32_t>::max()).value_or(-1),
                  .with_documents = fields.flag("return_documents").value_or(false)};
  check_lengths(model.ranker(), out.query, out.documents);
  return out;
}

void send_ranking(Call& call, const RankRequest& what, ServedModel& model) {
  Embedder& ranker = model.ranker();
  const std::vector<std::string_view> views(what.documents.begin(), what.documents.end());
  const std::vector<float> scores = ranker.rank(what.query, views, /*truncate=*/false, [&call] { return call.gone(); });
  if (scores.empty()) call.refuse_gone();
  Json results = Json::array();
  for (const Ranked& r : ranked(scores, what.top)) {
    Json result = {{"index", r.index}, {"relevance_score", r.score}};
    if (what.with_documents) result["document"] = {{"text", what.documents[r.index]}};
    results.push_back(std::move(result));
  }
  int64_t tokens = 0;
  for (const std::string& document : what.documents) tokens += std::ssize(ranker.pair(what.query, document).tokens);
  call.send(Json{{"object", "list"},
                 {"model", model.id()},
                 {"results", std::move(results)},
                 {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

void handle_rerank(const std::shared_ptr<Call>& call) {
  with_model(call, [call](const Lease& model) {
    model->ranker();
    call->service().post_reading(
        call, [call, model, what = read(Fields(call->body()), *model)] { send_ranking(*call, what, *model); });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_rerank;
const serve::Route route_rerank{
    .method = "POST", .paths = {"/v1/rerank", "/rerank", "/v1/reranking", "/reranking"}, .handle = serve::handle_rerank};
}  // namespace skald
