// POST /v1/rerank: documents in the order in which they fit a query, as Jina's and Cohere's APIs have it.
#include <fmt/format.h>

#include <algorithm>

#include "base/interruption.h"
#include "serve/route.h"
#include "serve/run/generation.h"
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

void check_length(int64_t tokens, int64_t n_ctx, size_t document) {
  if (tokens > n_ctx) throw too_long(fmt::format("documents[{}]", document), {tokens, n_ctx, n_ctx});
}

// A request on its way to a ranking. The model reads a document's tokens with the query's around them. Pairs are made when
// it is their turn: all together may be far larger than the texts.
class Ranking {
 public:
  Ranking(const Fields& fields, ServedModel& model) : model_(model), ranker_(model.ranker()) {
    const std::optional<std::string> query = fields.text("query");
    if (!query || query->empty()) refuse_field("query", "a text");
    texts_ = read_documents(fields);
    top_ = fields.integer("top_n", 1, std::numeric_limits<int32_t>::max()).value_or(-1);
    with_documents_ = fields.flag("return_documents").value_or(false);
    read_tokens(*query);
  }

  /// Of a step's pairs; false when all are there.
  bool step(RequestContext& context) {
    std::vector<EmbedInput> pairs;
    for (size_t next = scores_.size(); next < texts_.size() && ranker_.of_a_step(pairs) == pairs.size(); ++next)
      pairs.push_back(Embedder::pair(query_, documents_[next]));
    const std::vector<float> scores =
        ranker_.rank(std::span(pairs).first(ranker_.of_a_step(pairs)), [&context] { return context.gone(); });
    if (scores.empty()) context.refuse_gone();
    scores_.insert(scores_.end(), scores.begin(), scores.end());
    return scores_.size() < texts_.size();
  }

  /// That its texts and tokens take.
  int64_t bytes() const {
    int64_t out = 0;
    for (const std::string& text : texts_) out += std::ssize(text);
    for (const auto& tokens : documents_) out += std::ssize(tokens) * static_cast<int64_t>(sizeof(TokenId));
    return out;
  }

  Json answer() const {
    Json results = Json::array();
    for (const Ranked& r : ranked(scores_, top_)) {
      Json result = {{"index", r.index}, {"relevance_score", r.score}};
      if (with_documents_) result["document"] = {{"text", texts_[r.index]}};
      results.push_back(std::move(result));
    }
    return {{"object", "list"},
            {"model", model_.id()},
            {"results", std::move(results)},
            {"usage", {{"prompt_tokens", tokens_}, {"total_tokens", tokens_}}}};
  }

 private:
  void read_tokens(const std::string& query) {
    query_ = ranker_.query(query);
    const int64_t around = std::ssize(query_.before) + std::ssize(query_.after);
    for (size_t i = 0; i < texts_.size(); ++i) {
      Interruption::point(kWorkOfItem);
      documents_.push_back(ranker_.document(query_, texts_[i]));
      const int64_t n = around + std::ssize(documents_.back());
      check_length(n, std::min(model_.n_ctx(), ranker_.n_ctx()), i);
      tokens_ += n;
    }
  }

  static constexpr size_t kWorkOfItem = 256;

  ServedModel& model_;
  Embedder& ranker_;
  EmbedQuery query_;
  std::vector<std::string> texts_;
  std::vector<std::vector<TokenId>> documents_;  // their own tokens
  std::vector<float> scores_;                    // of the first ones
  int64_t tokens_ = 0;                           // of all pairs
  int64_t top_ = -1;                             // -1: all
  bool with_documents_ = false;
};

void handle_rerank(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const auto work = std::make_shared<Ranking>(Fields(context->body()), *model);
    context->forget_body(work->bytes());
    Service& service = context->service();
    service.post_reading(context, [&service, context, model, work] {
      if (work->step(*context)) return true;
      service.post_work(context, [context, model, work] { context->send(work->answer()); });
      return false;
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_rerank;
const serve::Route route_rerank{
    .method = "POST", .paths = {"/v1/rerank", "/rerank", "/v1/reranking", "/reranking"}, .handle = serve::handle_rerank};
}  // namespace skald
