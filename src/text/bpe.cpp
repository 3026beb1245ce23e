#include "text/bpe.h"

#include "base/error.h"
#include "base/interruption.h"
#include "base/log.h"
#include "base/terminal_text.h"
#include "text/byte_unicode.h"
#include "text/normal_form.h"
#include "text/ranked_merges.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace skald {
namespace {

// Added pieces are written as they are, the others in the spelling of bytes.
std::vector<std::string> bytes_of_pieces(const Vocab& vocab) {
  std::vector<std::string> out;
  out.reserve(vocab.pieces.size());
  for (TokenId id = 0; id < vocab.size(); ++id) {
    const std::string& piece = vocab.pieces[static_cast<size_t>(id)];
    const bool plain = vocab.is_special(id) || vocab.kind(id) == PieceKind::kUserDefined;
    out.push_back(plain ? piece : bytes_of_spelling(piece));
  }
  return out;
}

}  // namespace

// The state of one call of encode.
class BpeTokenizer::Session final : public Tokenizer::Session {
 public:
  Session(const BpeTokenizer& tokenizer, size_t bytes) : cache(bytes), tokenizer_(tokenizer) {}
  void encode(std::string_view text, bool /*begins*/, std::vector<TokenId>& out) override {
    tokenizer_.encode_text(*this, text, out);
  }

  WordCache cache;
  Merger merger;
  std::vector<PreTokenizer::Word> words;
  std::string composed;

 private:
  const BpeTokenizer& tokenizer_;
};

std::unique_ptr<Tokenizer::Session> BpeTokenizer::new_session(size_t bytes) const {
  return std::make_unique<Session>(*this, bytes);
}

std::unique_ptr<Tokenizer> BpeTokenizer::create(const Meta& meta) {
  Vocab vocab = Vocab::read(meta);
  if (meta.str("tokenizer.ggml.pre", "").empty())
    log(LogLevel::kWarn, "no key tokenizer.ggml.pre: words are cut in the default way, which is wrong for many models");
  const PreTokenizerSpec* spec = find_pre_tokenizer(vocab.pre);
  if (!spec)
    fail(Errc::kUnsupported, "key tokenizer.ggml.pre: no pre-tokenizer \"{}\"; known are {}", terminal_text(vocab.pre),
         pre_tokenizer_names());
  std::vector<std::string> bytes = bytes_of_pieces(vocab);
  std::unique_ptr<BpeTokenizer> out(new BpeTokenizer(std::move(vocab), std::move(bytes), *spec));
  out->merges_ = read_ranked_merges(meta, out->vocab());
  out->index_bytes();
  if (spec->ignore_merges) out->index_words();
  return out;
}

BpeTokenizer::BpeTokenizer(Vocab vocab, std::vector<std::string> bytes, const PreTokenizerSpec& spec)
    : Tokenizer(std::move(vocab), std::move(bytes)), pre_tokenizer_(spec), nfc_(spec.nfc) {}

void BpeTokenizer::index_bytes() {
  for (size_t b = 0; b < byte_ids_.size(); ++b) {
    std::string spelling;
    append_utf8(spelling, byte_to_char(static_cast<uint8_t>(b)));
    const auto id = vocab().find(spelling);
    // An added piece may look like a byte's spelling and mean the character itself.
    const bool means_byte = id && piece_bytes(*id) == std::string(1, static_cast<char>(b));
    byte_ids_[b] = means_byte ? *id : -1;
  }
}

void BpeTokenizer::index_words() {
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (!vocab().is_special(id) && !piece_bytes(id).empty()) whole_words_[piece_bytes(id)] = id;
  }
}

void BpeTokenizer::encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const {
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    if (!valid) return encode_word(session, with_known_bytes(run), out);
    if (nfc_) run = nfc(run, session.composed);
    pre_tokenizer_.split(run, session.words);
    for (const PreTokenizer::Word& w : session.words) encode_word(session, run.substr(w.begin, w.end - w.begin), out);
  });
}

NormalText BpeTokenizer::normalized(std::string_view text) const {
  NormalText out;
  const auto add = [&](std::string_view normal, size_t from) { out.add(normal, from); };
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    const auto begin = static_cast<size_t>(run.data() - text.data());
    if (valid && nfc_) return for_each_nfc_part(run, [&](std::string_view normal, size_t at) { add(normal, begin + at); });
    for (size_t at = 0; at < run.size(); ++at) add(run.substr(at, 1), begin + at);
  });
  out.end(text.size());
  return out;
}

// Many vocabularies lack the bytes that UTF-8 never uses; in a broken text they become U+FFFD rather than nothing.
std::string BpeTokenizer::with_known_bytes(std::string_view broken) const {
  std::string out;
  for (char c : broken) {
    if (byte_ids_[static_cast<uint8_t>(c)] >= 0) {
      out += c;
    } else {
      out += kReplacement;
    }
  }
  return out;
}

void BpeTokenizer::encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  Interruption::point(word.size());
  if (session.cache.append(word, out)) return;
  const size_t start = out.size();
  if (const auto whole = whole_words_.find(word); whole != whole_words_.end()) {
    out.push_back(whole->second);
  } else {
    merge_word(session, word, out);
  }
  session.cache.put(word, std::span(out).subspan(start));
}

void BpeTokenizer::merge_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  Merger& merger = session.merger;
  merger.clear();
  for (char c : word) {  // bytes that are no piece are dropped, as by the models' own tokenizers
    const TokenId id = byte_ids_[static_cast<uint8_t>(c)];
    if (id >= 0) merger.add(id, 0);
  }
  merger.run(merges_);
  if (merger.symbols.empty()) return;
  for (int32_t i = 0; i >= 0; i = merger.symbols[static_cast<size_t>(i)].next) {
    out.push_back(merger.symbols[static_cast<size_t>(i)].id);
  }
}

}  // namespace skald
