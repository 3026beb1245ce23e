#include "cli/flags/fields.h"

#include <cctype>

namespace skald {
namespace {

struct FieldFlag {
  std::string_view field;  // or a field and the value that the flag gives it
  std::string_view flag;
};

constexpr FieldFlag kFieldFlags[] = {
    {"device.n_threads", "--threads (-t)"},
    {"device.n_threads_batch", "--threads-batch (-tb)"},
    {"device.cpu_range", "--cpu-range (-Cr)"},
    {"device.numa", "--numa"},
    {"device.fused = false", "--no-fused"},
    {"device.repack = false", "--no-repack"},
    {"device.lock", "--mlock"},
    {"cache.n_ctx", "--ctx-size (-c)"},
    {"cache.type_k", "--cache-type-k (-ctk)"},
    {"cache.type_v", "--cache-type-v (-ctv)"},
    {"cache.layout", "--kv-layout"},
    {"cache.rotate = false", "--no-kv-rotate"},
    {"cache.swa_sinks", "--swa-sinks"},
    {"cache.lock", "--mlock"},
    {"cache.sparq", "--sparq"},
    {"cache.sparq.k1", "--k1"},
    {"cache.sparq.k2", "--k2"},
    {"cache.sparq.ratio", "--sparq-ratio"},
    {"cache.sparq.local", "--sparq-local"},
    {"cache.sparq.mean", "--sparq-mean"},
    {"cache.sparq.index", "--sparq-kt"},
    {"cache.static_shapes", "--static"},
    {"cache.static_shapes.context", "--static"},
    {"cache.static_shapes.reserve", "--kv-reserve"},
    {"cache.static_shapes.bits", "--kv-bits"},
    {"cache.static_shapes.scales", "--kv-scale"},
    {"schedule.n_parallel", "--parallel"},
    {"schedule.n_batch", "--batch-size (-b)"},
    {"schedule.n_ubatch", "--ubatch-size (-ub)"},
    {"schedule.context_shift", "--context-shift"},
    {"sampling.temperature", "--temp"},
    {"sampling.top_k", "--top-k"},
    {"sampling.top_p", "--top-p"},
    {"sampling.min_p", "--min-p"},
    {"sampling.typical_p", "--typical"},
    {"sampling.top_n_sigma", "--top-nsigma"},
    {"sampling.xtc_probability", "--xtc-probability"},
    {"sampling.xtc_threshold", "--xtc-threshold"},
    {"sampling.repeat_penalty", "--repeat-penalty"},
    {"sampling.presence_penalty", "--presence-penalty"},
    {"sampling.frequency_penalty", "--frequency-penalty"},
    {"sampling.repeat_last_n", "--repeat-last-n"},
    {"sampling.dynatemp_range", "--dynatemp-range"},
    {"sampling.dynatemp_exponent", "--dynatemp-exp"},
    {"sampling.dry_multiplier", "--dry-multiplier"},
    {"sampling.dry_base", "--dry-base"},
    {"sampling.dry_allowed_length", "--dry-allowed-length"},
    {"sampling.dry_penalty_last_n", "--dry-penalty-last-n"},
    {"sampling.dry_breakers", "--dry-breaker-ids"},
    {"sampling.mirostat", "--mirostat"},
    {"sampling.mirostat_lr", "--mirostat-lr"},
    {"sampling.mirostat_ent", "--mirostat-ent"},
    {"sampling.adaptive_target", "--adaptive-target"},
    {"sampling.adaptive_decay", "--adaptive-decay"},
    {"sampling.logit_bias", "--logit-bias (-l)"},
    {"sampling.samplers", "--samplers"},
    {"sample.logits", "--logits"},
    {"sample.history", "--history"},
    {"sample.force", "--force"},
    {"sample.draws", "-n"},
    {"bench.n_vocab", "--vocab"},
    {"bench.spread", "--spread"},
    {"bench.history", "--history"},
    {"bench.repetitions", "--repetitions (-r)"},
    {"chunks.n_ctx", "--ctx-size (-c)"},
    {"chunks.stride", "--stride"},
    {"chunks.most", "--chunks"},
    {"convert.pre_tokenizer", "--pre-tokenizer"},
    {"quantize.allow_requantize", "--allow-requantize"},
    {"quantize.imatrix", "--imatrix"},
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool begins_a_field(std::string_view text, size_t at) {
  return at == 0 || !(in_word(text[at - 1]) || std::string_view("./'\"-").find(text[at - 1]) != std::string_view::npos);
}

// A dot may end a sentence.
bool ends_a_field(std::string_view rest) {
  if (rest.empty()) return true;
  return !in_word(rest[0]) && !(rest[0] == '.' && rest.size() > 1 && in_word(rest[1]));
}

// The longest one that the text begins with; null where it begins with none.
const FieldFlag* first_field(std::string_view text) {
  const FieldFlag* longest = nullptr;
  for (const FieldFlag& row : kFieldFlags)
    if (text.starts_with(row.field) && ends_a_field(text.substr(row.field.size())) &&
        (!longest || row.field.size() > longest->field.size()))
      longest = &row;
  return longest;
}

}  // namespace

std::string in_flags(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const FieldFlag* row = begins_a_field(text, at) ? first_field(text.substr(at)) : nullptr;
    out += row ? row->flag : text.substr(at, 1);
    at += row ? row->field.size() : 1;
  }
  return out;
}

}  // namespace skald
