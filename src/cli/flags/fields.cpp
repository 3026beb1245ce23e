#include "cli/flags/fields.h"

#include <cctype>
#include <span>
#include <vector>

#include "cli/flags/table_flags.h"

namespace skald {
namespace {

struct OtherField {
  std::string_view field;
  std::string_view flag;
};

// Fields that are in no table.
constexpr OtherField kOthers[] = {
    {"cache.sparq", "--sparq"},
    {"cache.static_shapes", "--static"},
    {"sampling.dry_breakers", "--dry-breaker-ids"},
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
    {"load.control_layers", "--control-vector-layer-range"},
    {"load.control_vectors", "--control-vector"},
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

std::vector<FieldFlag> field_flags() {
  std::vector<FieldFlag> out = table_fields();
  for (const OtherField& other : kOthers)
    out.push_back({.field = std::string(other.field), .flag = std::string(other.flag)});
  return out;
}

// The longest one that the text begins with; null where it begins with none.
const FieldFlag* first_field(std::span<const FieldFlag> all, std::string_view text) {
  const FieldFlag* longest = nullptr;
  for (const FieldFlag& row : all)
    if (text.starts_with(row.field) && ends_a_field(text.substr(row.field.size())) &&
        (!longest || row.field.size() > longest->field.size()))
      longest = &row;
  return longest;
}

}  // namespace

std::string in_flags(std::string_view text) {
  const std::vector<FieldFlag> all = field_flags();
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const FieldFlag* row = begins_a_field(text, at) ? first_field(all, text.substr(at)) : nullptr;
    out += row ? row->flag : text.substr(at, 1);
    at += row ? row->field.size() : 1;
  }
  return out;
}

}  // namespace skald
