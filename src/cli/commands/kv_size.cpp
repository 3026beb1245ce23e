// skald kv-size: the memory that the KV cache of a static graph takes.
#include <cstdio>
#include <memory>

#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/report/kv_size.h"

namespace skald {
namespace {

struct KvSizeArgs {
  ModelFlags model;
  KvShape shape;
  float reserve = 2.0f;
  bool json = false;
};

// Whether the flags describe the layers, rather than a model.
bool layers_given(const Flags& flags, const ModelFlags& model) {
  const int given = flags.given("--layers") + flags.given("--heads") + flags.given("--head-dim");
  if (given == 0) return false;
  if (given != 3) throw UsageError("kv-size: want all of --layers, --heads and --head-dim, or a model");
  if (model.given()) throw UsageError("kv-size: --layers, --heads and --head-dim do not go with -m or -hf");
  if (!flags.given("-c")) throw UsageError("kv-size: -c is required where no model says it");
  return true;
}

StaticKvSpec spec_of(const KvSizeArgs& o, bool from_flags) {
  const StaticReserve reserve = static_reserve(o.reserve);
  if (from_flags) return static_kv_spec(o.shape, reserve);
  return static_kv_spec(*o.model.load().loaded(), o.shape.context, o.shape.bits, reserve);
}

void run(const KvSizeArgs& o, bool from_flags) {
  std::string out;
  check_usage([&] {
    const StaticKvSpec spec = spec_of(o, from_flags);
    out = o.json ? kv_size_json(spec) : kv_size_text(spec);
  });
  std::fputs(terminal_text(out, /*lines=*/true).c_str(), stdout);
}

Action declare_kv_size(Flags& flags) {
  auto o = std::make_shared<KvSizeArgs>();
  o->model.declare(flags);
  flags.add("--layers", o->shape.n_layers, "layers; with --heads and --head-dim instead of a model");
  flags.add("--heads", o->shape.n_kv_heads, "KV heads of a layer");
  flags.add("--head-dim", o->shape.d_head, "numbers of a head's key, and of its value");
  flags.add("-c,--ctx-size", o->shape.context, "keys that a token can see, its own among them; 0: as the model was trained");
  flags.add("--bits", o->shape.bits, "of a number: 8, 16 or 32");
  flags.add("--reserve", o->reserve, "memory of a window, as a multiple of it: 2.0 or 1.5");
  flags.add("--json", o->json, "as JSON");
  return [o, flags] { run(*o, layers_given(flags, o->model)); };
}

}  // namespace

extern const Command command_kv_size;
const Command command_kv_size{.name = "kv-size",
                              .summary = "Show how much memory the KV cache of a static graph takes",
                              .examples =
                                  "  skald kv-size --layers 32 --heads 32 --head-dim 128 -c 2048 --bits 16 --reserve 2.0\n"
                                  "  skald kv-size -m model.gguf -c 8192 --bits 8 --reserve 1.5 --json\n",
                              .declare = declare_kv_size};

}  // namespace skald
