// skald rerank: documents in the order in which they fit a query.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/flags/embed.h"
#include "tools/embed/embed_report.h"

namespace skald {
namespace {

struct RerankArgs : EmbedFlags {
  std::string query, output = "table";
  int64_t top = -1;
};

void run(const RerankArgs& o) {
  if (o.query.empty()) throw UsageError("rerank: want a query: -q");
  if (o.file.empty()) throw UsageError("rerank: want documents: -f");
  if (o.top < -1 || o.top == 0) throw UsageError("rerank: --top: want 1 or more, or -1 for all");
  EmbedderOptions options = o.options();
  options.pooling = Pooling::kRank;
  const std::vector<std::string> documents = o.texts();
  const Model model = o.model.load();
  Embedder embedder(model, options);
  const std::vector<std::string_view> views(documents.begin(), documents.end());
  const std::vector<Ranked> ranking = ranked(embedder.rank(o.query, views, o.truncate), o.top);
  std::fputs((o.output == "json" ? ranking_json(ranking, model.name()) : ranking_table(ranking, documents)).c_str(), stdout);
}

Action declare_rerank(Flags& flags) {
  auto o = std::make_shared<RerankArgs>();
  o->declare_model(flags);
  flags.group("Texts");
  flags.add("-q,--query", o->query, "query (required)", "TEXT");
  o->declare_texts(flags, "file with documents (required); -: standard input");
  flags.group("Ranking");
  flags.add("--top", o->top, "most documents to show; -1: all");
  flags.add("-o,--output", o->output, "documents count from 0 in the file's order", "table|json");
  o->declare_compute(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_rerank;
const Command command_rerank{
    .name = "rerank",
    .summary = "Show documents in the order in which they fit a query, by a model with a classifier",
    .examples =
        "  skald rerank -m reranker.gguf -q \"What is a panda?\" -f documents.txt\n"
        "  skald rerank -m reranker.gguf -q \"What is a panda?\" -f documents.txt --top 3 -o json\n",
    .declare = declare_rerank};

}  // namespace skald
