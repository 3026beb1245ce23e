#include "text/unigram.h"

#include <algorithm>

#include "base/interruption.h"
#include "text/word_cache.h"

namespace skald {

static constexpr size_t kWorkOfCharacter = 16;

// The state of one call of encode.
class UnigramTokenizer::Session final : public Tokenizer::Session {
 public:
  Session(const UnigramTokenizer& tokenizer, size_t bytes) : cache(bytes), tokenizer_(tokenizer) {}
  void encode(std::string_view text, bool /*begins*/, std::vector<TokenId>& out) override {
    tokenizer_.encode_text(*this, text, out);
  }

  // The best way to a place in the text: its last piece.
  struct Best {
    double score;        // of the whole way
    int32_t begin = -1;  // where the last piece begins; -1 for a place that no way leads to
    TokenId id = -1;     // -1: an unknown character
  };
  WordCache cache;
  std::vector<Best> best;    // one per byte of the word, and its end
  std::vector<size_t> ends;  // of the pieces of the best way

 private:
  const UnigramTokenizer& tokenizer_;
};

std::unique_ptr<Tokenizer::Session> UnigramTokenizer::new_session(size_t bytes) const {
  return std::make_unique<Session>(*this, bytes);
}

std::unique_ptr<Tokenizer> UnigramTokenizer::create(const Meta& meta) {
  Vocab vocab = Vocab::read(meta);
  std::vector<std::string> bytes = sentence_piece_bytes(vocab);
  return std::unique_ptr<Tokenizer>(new UnigramTokenizer(std::move(vocab), std::move(bytes), meta));
}

UnigramTokenizer::UnigramTokenizer(Vocab spelled, std::vector<std::string> bytes, const Meta& meta)
    : Tokenizer(std::move(spelled), std::move(bytes)), unknown_(vocab()), normalizer_(meta, unknown_.has_bytes()) {
  find_scores();
  index_pieces();
}

// As SentencePiece has it: an unknown character is less likely than any piece. A piece that a user defined is more likely
// than any cut of its text.
void UnigramTokenizer::find_scores() {
  constexpr float kUnknownPenalty = 10;
  scores_.assign(vocab().pieces.size(), 0);
  if (!vocab().scores.empty()) std::ranges::copy(vocab().scores, scores_.begin());
  std::vector<double> normal;
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (vocab().kind(id) == PieceKind::kNormal) normal.push_back(scores_[static_cast<size_t>(id)]);
  }
  const auto [low, high] = std::ranges::minmax_element(normal);
  unknown_score_ = normal.empty() ? -kUnknownPenalty : *low - kUnknownPenalty;
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (vocab().kind(id) != PieceKind::kUserDefined) continue;
    const auto length = static_cast<double>(vocab().pieces[static_cast<size_t>(id)].size());
    scores_[static_cast<size_t>(id)] = normal.empty() ? 0 : length * *high - 0.1;
  }
}

void UnigramTokenizer::index_pieces() {
  bool has_space = false, reach_over = false;
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (vocab().kind(id) != PieceKind::kNormal && vocab().kind(id) != PieceKind::kUserDefined) continue;
    if (vocab().needs_place(id)) continue;
    const std::string_view piece = vocab().pieces[static_cast<size_t>(id)];
    pieces_.add(piece, id);
    has_space = has_space || piece == kPieceSpace;
    reach_over = reach_over || word_end(piece, 0) < piece.size();
  }
  words_stand_alone_ = has_space && !reach_over;  // a word that begins with a piece's space begins with a piece
  pieces_.build();
}

NormalText UnigramTokenizer::normalized(std::string_view text) const { return normalizer_.characters(text); }

void UnigramTokenizer::encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const {
  const std::string normal = normalizer_.normalize(text);
  const std::string_view rest = normal;
  if (!words_stand_alone_) return cut_word(session, rest, out);
  for (size_t at = 0; at < rest.size();) {
    const size_t end = word_end(rest, at);
    encode_word(session, rest.substr(at, end - at), out);
    at = end;
  }
}

void UnigramTokenizer::encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  if (session.cache.append(word, out)) return;
  const size_t start = out.size();
  cut_word(session, word, out);
  // A row of unknown characters at the start of a text may go on with the text before.
  if (word.starts_with(kPieceSpace)) session.cache.put(word, std::span(out).subspan(start));
}

void UnigramTokenizer::cut_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  mark_best(session, word);
  session.ends.clear();
  for (size_t at = word.size(); at > 0; at = static_cast<size_t>(session.best[at].begin)) session.ends.push_back(at);
  for (auto end = session.ends.rbegin(); end != session.ends.rend(); ++end) {
    const Session::Best& best = session.best[*end];
    const auto begin = static_cast<size_t>(best.begin);
    if (best.id >= 0) {
      out.push_back(best.id);
    } else {
      unknown_.put(word.substr(begin, *end - begin), out);
    }
  }
}

// Viterbi's search, character by character.
void UnigramTokenizer::mark_best(Session& session, std::string_view word) const {
  session.best.assign(word.size() + 1, {});
  session.best[0] = {.score = 0, .begin = 0};
  for (size_t at = 0; at < word.size();) {
    const size_t length = char_length(word, at);
    Interruption::point(kWorkOfCharacter);
    const double score_here = session.best[at].score;
    const auto offer = [&](size_t bytes, TokenId id, double score) {
      Session::Best& there = session.best[at + bytes];
      if (there.begin >= 0 && there.score >= score_here + score) return;
      there = {score_here + score, static_cast<int32_t>(at), id};
    };
    bool known = false;
    pieces_.for_each_prefix(word.substr(at), [&](size_t bytes, TokenId id) {
      offer(bytes, id, scores_[static_cast<size_t>(id)]);
      known = known || bytes == length;
    });
    if (!known) offer(length, -1, unknown_score_);
    at += length;
  }
}

}  // namespace skald
