#include "text/word_piece.h"

#include "base/interruption.h"
#include "text/sentence_piece.h"
#include "text/word_cache.h"

namespace skald {
namespace {

constexpr size_t kLongestWord = 100;  // characters; BERT takes longer ones as unknown

BertOptions read_options(const Meta& meta) {
  const bool lowercase = meta.flag("tokenizer.ggml.normalizer.lowercase", true);
  return {.lowercase = lowercase, .strip_accents = meta.flag("tokenizer.ggml.normalizer.strip_accents", lowercase)};
}

size_t count_characters(std::string_view text) {
  size_t out = 0;
  for (size_t at = 0; at < text.size(); at += char_length(text, at)) ++out;
  return out;
}

}  // namespace

// The state of one call of encode.
class WordPieceTokenizer::Session final : public Tokenizer::Session {
 public:
  Session(const WordPieceTokenizer& tokenizer, size_t bytes) : cache(bytes), tokenizer_(tokenizer) {}
  void encode(std::string_view text, bool /*begins*/, std::vector<TokenId>& out) override {
    tokenizer_.encode_text(*this, text, out);
  }

  WordCache cache;
  BertWords words;
  std::string spelled;  // a word as pieces spell it

 private:
  const WordPieceTokenizer& tokenizer_;
};

std::unique_ptr<Tokenizer::Session> WordPieceTokenizer::new_session(size_t bytes) const {
  return std::make_unique<Session>(*this, bytes);
}

std::unique_ptr<Tokenizer> WordPieceTokenizer::create(const Meta& meta) {
  Vocab vocab = Vocab::read(meta);
  std::vector<std::string> bytes = sentence_piece_bytes(vocab);  // which spells spaces the same way
  return std::unique_ptr<Tokenizer>(new WordPieceTokenizer(std::move(vocab), std::move(bytes), read_options(meta)));
}

WordPieceTokenizer::WordPieceTokenizer(Vocab spelled, std::vector<std::string> bytes, BertOptions options)
    : Tokenizer(std::move(spelled), std::move(bytes)), options_(options) {
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (!vocab().is_special(id) && !vocab().needs_place(id)) pieces_.add(vocab().pieces[static_cast<size_t>(id)], id);
  }
  pieces_.build();
}

NormalText WordPieceTokenizer::normalized(std::string_view text) const { return normal_bert_text(text, options_); }

void WordPieceTokenizer::encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const {
  cut_bert_words(text, options_, session.words);
  const std::string_view all = session.words.text;
  size_t begin = 0;
  for (size_t end : session.words.ends) {
    encode_word(session, all.substr(begin, end - begin), out);
    begin = end;
  }
}

void WordPieceTokenizer::encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  Interruption::point(word.size());
  if (session.cache.append(word, out)) return;
  const size_t start = out.size();
  (session.spelled = kPieceSpace) += word;
  if (count_characters(word) > kLongestWord || !cut_word(session.spelled, out)) {
    out.resize(start);
    if (const auto unknown = vocab().unk) out.push_back(*unknown);
  }
  session.cache.put(word, std::span(out).subspan(start));
}

// False where some part of the word is no piece.
bool WordPieceTokenizer::cut_word(std::string_view spelled, std::vector<TokenId>& out) const {
  while (!spelled.empty()) {
    size_t longest = 0;
    TokenId best = -1;
    pieces_.for_each_prefix(spelled, [&](size_t length, TokenId id) { longest = length, best = id; });
    if (longest == 0) return false;
    out.push_back(best);
    spelled.remove_prefix(longest);
  }
  return true;
}

}  // namespace skald
