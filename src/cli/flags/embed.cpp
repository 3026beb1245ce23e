#include "cli/flags/embed.h"

#include "cli/flags/escapes.h"
#include "cli/flags/table_flags.h"
#include "tools/embed/embed_texts.h"

namespace skald {

void EmbedFlags::declare_texts(Flags& flags, const char* what) {
  flags.add("-f,--file", file, what, "FILE");
  flags.add("--separator", separator, R"(separator of the file's texts; \n, \t, \", \\ and \xHH are escapes)");
}

void EmbedFlags::declare_compute(Flags& flags) {
  compute.options.cache = defaults_.cache;
  compute.options.schedule = defaults_.schedule;
  flags.add("--truncate", truncate, "cut texts that are longer than the context, instead of rejecting them");
  add_option(flags, "cache.n_ctx", compute.options.cache.n_ctx, "most tokens of a text; 0: the model's training context");
  add_option(flags, "schedule.n_parallel", compute.options.schedule.n_parallel, "most texts computed at once");
  compute.declare(flags);
  model.declare_rope(flags);
}

std::vector<std::string> EmbedFlags::texts() const {
  return doing(file == "-" ? "standard input" : file, [&] { return cut_texts(read_text(file), unescaped(separator)); });
}

EmbedderOptions EmbedFlags::options() const {
  const EngineOptions engine = compute.with(model);
  EmbedderOptions out{.device = engine.device, .cache = engine.cache, .schedule = engine.schedule};
  out.schedule.n_batch = out.schedule.n_ubatch;
  check_usage([&] { out.check(); });
  return out;
}

}  // namespace skald
