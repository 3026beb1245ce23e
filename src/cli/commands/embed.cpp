// skald embed: texts as vectors.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/flags/embed.h"
#include "cli/flags/escapes.h"
#include "cli/flags/pooling_word.h"
#include "tools/embed/embed_report.h"
#include "tools/report/npy.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct EmbedArgs : EmbedFlags {
  std::string prompt, prompt_ids, pooling, output = "json";
  bool escape = true, no_normalize = false;
};

std::vector<std::string> texts_of(const EmbedArgs& o) {
  if (!o.file.empty()) return o.texts();
  if (o.prompt.empty()) throw UsageError("embed: -p: the text is empty");
  return {o.escape ? unescaped(o.prompt) : o.prompt};
}

std::vector<EmbedInput> inputs_of(const EmbedArgs& o, const Embedder& embedder) {
  std::vector<EmbedInput> inputs;
  if (o.prompt_ids.empty()) {
    for (const std::string& text : texts_of(o)) inputs.push_back(embedder.input(text, o.truncate));
    return inputs;
  }
  inputs.push_back({.tokens = parse_ids(o.prompt_ids)});
  if (std::vector<TokenId>& ids = inputs[0].tokens; o.truncate && std::ssize(ids) > embedder.n_ctx())
    ids.resize(static_cast<size_t>(embedder.n_ctx()));
  return inputs;
}

VectorRows vectors_of(Embedder& embedder, const std::vector<EmbedInput>& inputs, bool normalize) {
  if (embedder.pooling() != Pooling::kNone) return {embedder.embed(inputs, normalize), std::ssize(inputs), embedder.width()};
  if (inputs.size() != 1)
    throw UsageError(
        fmt::format("embed: --pooling none gives a vector for each token: want one text, got {}", inputs.size()));
  return {embedder.states(inputs[0]), std::ssize(inputs[0].tokens), embedder.d_states(), true};
}

void run(const EmbedArgs& o, const Flags& flags) {
  if (flags.given("-p") + !o.file.empty() + !o.prompt_ids.empty() != 1)
    throw UsageError("embed: want exactly one of -p, -f and --prompt-ids");
  const bool json = o.output == "json";
  if (!json && !o.output.ends_with(".npy"))
    throw UsageError(fmt::format("embed: -o {}: want json, or a file whose name ends in .npy", o.output));
  EmbedderOptions options = o.options();
  options.pooling = pooling_of("embed", o.pooling);
  const Model model = o.model.load();
  if (!json) check_usage([&] { check_output(o.output, {o.model.file(), o.file}); });
  Embedder embedder(model, options);
  const std::vector<EmbedInput> inputs = inputs_of(o, embedder);
  const VectorRows vectors = vectors_of(embedder, inputs, !o.no_normalize);
  if (!json) return write_npy(o.output, vectors.values, vectors.rows, vectors.width);
  int64_t tokens = 0;
  for (const EmbedInput& input : inputs) tokens += std::ssize(input.tokens);
  std::fputs(embeddings_json(vectors, model.name(), tokens).c_str(), stdout);
}

Action declare_embed(Flags& flags) {
  auto o = std::make_shared<EmbedArgs>();
  o->declare_model(flags);
  flags.group("Texts");
  flags.add("-p,--prompt", o->prompt, "the text");
  flags.add("-e,--escape,!--no-escape", o->escape, R"(in -p, read \n, \t, \", \\ and \xHH as escapes; the default)");
  o->declare_texts(flags, "file with texts; -: standard input");
  flags.add("--prompt-ids", o->prompt_ids, "token ids, instead of a text; they are used as they are", "ID,...");
  flags.group("Vectors");
  flags.add("--pooling", o->pooling,
            "how the states of a text's tokens become its vector: mean, cls (the first one's), last, rank (the classifier's "
            "score), none (a row for each token). Default: that of the model's file, else rank where it has a classifier, "
            "else mean",
            "none|mean|cls|last|rank");
  flags.add("--no-normalize", o->no_normalize, "leave vectors as long as they are, instead of making their length 1");
  flags.add("-o,--output", o->output, "json: the list of the embeddings API; FILE.npy: float32 [texts, width]", "FORMAT");
  flags.offer({"json"});
  o->declare_compute(flags);
  return [o, flags] { run(*o, flags); };
}

}  // namespace

extern const Command command_embed;
const Command command_embed{.name = "embed",
                            .summary = "Show texts as vectors",
                            .examples =
                                "  skald embed -m model.gguf -p \"Once upon a time\"\n"
                                "  skald embed -m model.gguf -f texts.txt -o vectors.npy\n"
                                "  skald embed -m model.gguf -f texts.txt --separator \"\\n\\n\" --pooling mean --truncate\n"
                                "  skald embed -m model.gguf --prompt-ids 1,5,9 --pooling none -o states.npy\n",
                            .declare = declare_embed};

}  // namespace skald
