// BPE over the bytes of UTF-8, spelled as printable characters.
#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/json_checks.h"
#include "convert/tokenizers/json_kinds.h"
#include "convert/tokenizers/json_vocab.h"

namespace skald {

TokenizerParts byte_level_bpe(const TokenizerJson& json, PieceTable pieces, const PreTokenizerChoice& pre) {
  check_steps_known(json.normalizer);
  check_no_affixes(json.model);
  if (json.normalizer.spaces_spelled || json.normalizer.spaces_merged || json.normalizer.bert)
    fail(Errc::kUnsupported, "normalizer: GGUF has no byte-level BPE that changes spaces or case");
  if (json.pre_tokenizer.space_first)
    log(LogLevel::kWarn, "pre_tokenizer: add_prefix_space has no meaning in GGUF: texts get no space in front");
  TokenizerParts out{.model = "gpt2", .pieces = std::move(pieces)};
  out.pre = pre_tokenizer_name({.patterns = json.pre_tokenizer.patterns,
                                .other_steps = json.pre_tokenizer.others,
                                .ignore_merges = json.model.flag("ignore_merges", false),
                                .nfc = json.normalizer.nfc},
                               pre);
  const JsonNode vocab = json.model.at("vocab");
  add_pieces(vocab, out.pieces);
  const std::vector<Merge> merges = read_merges(json.model.at("merges"));
  check_merges(merges, vocab);
  out.merges = merge_lines(merges);
  return out;
}

}  // namespace skald
