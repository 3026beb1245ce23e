#include "skald/vocabulary.h"

#include <utility>

#include "base/error.h"
#include "loading/loaded_model.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

const Vocab& vocab_of(const LoadedModel& model) { return model.tokenizer().vocab(); }

const Vocab& vocab_with(const LoadedModel& model, TokenId id) {
  const Vocab& vocab = vocab_of(model);
  if (!vocab.contains(id)) fail(Errc::kBadInput, "token {}: the vocabulary has 0 to {}", id, vocab.size() - 1);
  return vocab;
}

}  // namespace

Vocabulary::Vocabulary(std::shared_ptr<const LoadedModel> model) : model_(std::move(model)) { model_->tokenizer(); }

int64_t Vocabulary::size() const { return vocab_of(*model_).size(); }
std::string_view Vocabulary::bytes(TokenId id) const { return model_->tokenizer().piece_bytes(id); }
PieceKind Vocabulary::kind(TokenId id) const { return vocab_with(*model_, id).kind(id); }
bool Vocabulary::is_special(TokenId id) const { return vocab_with(*model_, id).is_special(id); }
bool Vocabulary::ends_text(TokenId id) const { return vocab_with(*model_, id).is_end(id); }
std::vector<TokenId> Vocabulary::end_tokens() const { return vocab_of(*model_).end_tokens(); }

std::optional<TokenId> Vocabulary::special(SpecialToken which) const {
  const Vocab& v = vocab_of(*model_);
  switch (which) {
    case SpecialToken::kBos:
      return v.bos;
    case SpecialToken::kEos:
      return v.eos;
    case SpecialToken::kEot:
      return v.eot;
    case SpecialToken::kEom:
      return v.eom;
    case SpecialToken::kUnk:
      return v.unk;
    case SpecialToken::kSep:
      return v.sep;
    case SpecialToken::kPad:
      return v.pad;
  }
  return {};
}

std::optional<TokenId> Vocabulary::find(std::string_view spelling) const { return vocab_of(*model_).find(spelling); }

}  // namespace skald
