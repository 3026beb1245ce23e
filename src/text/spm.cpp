#include "text/spm.h"

#include <algorithm>
#include <numeric>

#include "base/interruption.h"
#include "text/ranked_merges.h"
#include "text/sentence_piece.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace skald {
namespace {

// Calls f(begin, length, whole) for each character; broken bytes come one at a time and are not whole.
template <class F>
void for_each_char(std::string_view text, F&& f) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    const bool whole = step.kind == Utf8Kind::kChar;
    const int length = whole ? step.length : 1;
    f(at, length, whole);
    at += static_cast<size_t>(length);
  }
}

// Equal scores have equal ranks, since then the place in the text decides; higher scores have lower ranks.
std::vector<int32_t> ranks_of(const Vocab& vocab) {
  std::vector<int32_t> out(vocab.pieces.size(), 0);
  if (vocab.scores.empty()) return out;
  std::vector<TokenId> order(vocab.pieces.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](TokenId id) { return vocab.scores[static_cast<size_t>(id)]; };
  std::ranges::sort(order, [&](TokenId a, TokenId b) { return score(a) > score(b); });
  for (size_t i = 1; i < order.size(); ++i) {
    const int32_t before = out[static_cast<size_t>(order[i - 1])];
    out[static_cast<size_t>(order[i])] = before + (score(order[i]) < score(order[i - 1]) ? 1 : 0);
  }
  return out;
}

}  // namespace

// The state of one call of encode.
class SpmTokenizer::Session final : public Tokenizer::Session {
 public:
  Session(const SpmTokenizer& tokenizer, size_t bytes) : cache(bytes), tokenizer_(tokenizer) {}
  void encode(std::string_view text, bool begins, std::vector<TokenId>& out) override {
    tokenizer_.encode_text(*this, text, begins, out);
  }

  WordCache cache;
  Merger merger;

 private:
  const SpmTokenizer& tokenizer_;
};

std::unique_ptr<Tokenizer::Session> SpmTokenizer::new_session(size_t bytes) const {
  return std::make_unique<Session>(*this, bytes);
}

std::unique_ptr<Tokenizer> SpmTokenizer::create(const Meta& meta) {
  Vocab vocab = Vocab::read(meta);
  std::vector<std::string> bytes = sentence_piece_bytes(vocab);
  std::unique_ptr<SpmTokenizer> out(new SpmTokenizer(std::move(vocab), std::move(bytes)));
  if (out->listed_merges()) {
    out->merges_ = read_ranked_merges(meta, out->vocab());
  } else {
    out->index_merges();
  }
  return out;
}

SpmTokenizer::SpmTokenizer(Vocab spelled, std::vector<std::string> bytes)
    : Tokenizer(std::move(spelled), std::move(bytes)), unknown_(vocab()) {
  index_mergeable();
  index_chars();
  index_words();
}

// Control, unknown and byte pieces never come from merging: "</s>" typed by a user stays text. Nor do very long pieces,
// which only hostile files have and which would make the search for their halves slow.
void SpmTokenizer::index_mergeable() {
  constexpr size_t kLongest = 1024;
  mergeable_.assign(vocab().pieces.size(), false);
  for (TokenId id = 0; id < vocab().size(); ++id) {
    const std::string& piece = vocab().pieces[static_cast<size_t>(id)];
    const bool text = !vocab().is_special(id) && !vocab().needs_place(id) && vocab().kind(id) != PieceKind::kByte &&
                      piece.size() <= kLongest;
    mergeable_[static_cast<size_t>(id)] = text && vocab().find(piece) == id;
  }
}

void SpmTokenizer::index_chars() {
  auto next = static_cast<TokenId>(vocab().size());
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (!mergeable(id)) continue;
    const std::string_view piece = vocab().pieces[static_cast<size_t>(id)];
    for_each_char(piece, [&](size_t at, int length, bool whole) {
      if (!whole) return;
      const auto [entry, added] = char_ids_.try_emplace(utf8_code(piece, at, length), -1);
      if (!added) return;
      const auto own = vocab().find(piece.substr(at, static_cast<size_t>(length)));
      entry->second = own && mergeable(*own) ? *own : next++;
    });
  }
}

// The id of a whole piece or of a character.
TokenId SpmTokenizer::id_of(std::string_view piece) const {
  if (const auto id = vocab().find(piece); id && mergeable(*id)) return *id;
  const Utf8Step step = utf8_step(piece, 0);
  if (step.kind != Utf8Kind::kChar || static_cast<size_t>(step.length) != piece.size()) return -1;
  const auto id = char_ids_.find(utf8_code(piece, 0, step.length));
  return id == char_ids_.end() ? -1 : id->second;
}

void SpmTokenizer::index_words() {
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (!mergeable(id)) continue;
    const std::string_view piece = vocab().pieces[static_cast<size_t>(id)];
    if (word_end(piece, 0) < piece.size()) words_merge_alone_ = false;
  }
}

// SentencePiece looks up the text of two neighbours at each step. Which pairs give a piece is known beforehand.
void SpmTokenizer::index_merges() {
  const std::vector<int32_t> ranks = ranks_of(vocab());
  for (TokenId id = 0; id < vocab().size(); ++id) {
    if (!mergeable(id)) continue;
    const std::string_view piece = vocab().pieces[static_cast<size_t>(id)];
    for_each_char(piece, [&](size_t at, int, bool) {
      if (at == 0) return;
      const TokenId left = id_of(piece.substr(0, at));
      const TokenId right = left < 0 ? -1 : id_of(piece.substr(at));
      if (right >= 0) merges_.add(left, right, {ranks[static_cast<size_t>(id)], id});
    });
  }
}

void SpmTokenizer::encode_text(Session& session, std::string_view text, bool begins, std::vector<TokenId>& out) const {
  std::string escaped(begins && vocab().add_space_prefix ? kPieceSpace : "");
  escaped += replaced(text, " ", kPieceSpace);
  listed_merges() ? encode_lines(session, escaped, out) : encode_words(session, escaped, out);
}

// No listed merge joins line feeds with anything else; many of them in a row may be one piece, whether or not its merges are
// listed.
void SpmTokenizer::encode_lines(Session& session, std::string_view text, std::vector<TokenId>& out) const {
  for (size_t at = 0; at < text.size();) {
    const bool feeds = text[at] == '\n';
    const size_t end = std::min(feeds ? text.find_first_not_of('\n', at) : text.find('\n', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const std::optional<TokenId> whole = feeds ? vocab().find(part) : std::nullopt;
    if (whole && mergeable(*whole)) {
      out.push_back(*whole);
    } else {
      encode_words(session, part, out);
    }
    at = end;
  }
}

void SpmTokenizer::encode_words(Session& session, std::string_view rest, std::vector<TokenId>& out) const {
  if (!words_merge_alone_) return merge_word(session.merger, rest, out);
  for (size_t at = 0; at < rest.size();) {
    const size_t end = word_end(rest, at);
    encode_word(session, rest.substr(at, end - at), out);
    at = end;
  }
}

void SpmTokenizer::encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const {
  Interruption::point(word.size());
  if (session.cache.append(word, out)) return;
  const size_t start = out.size();
  merge_word(session.merger, word, out);
  // Without byte pieces the tokens of unknown characters depend on the text before the word.
  if (unknown_.has_bytes()) session.cache.put(word, std::span(out).subspan(start));
}

void SpmTokenizer::merge_word(Merger& merger, std::string_view word, std::vector<TokenId>& out) const {
  merger.clear();
  for_each_char(word, [&](size_t at, int length, bool whole) {
    const auto id = whole ? char_ids_.find(utf8_code(word, at, length)) : char_ids_.end();
    merger.add(id == char_ids_.end() ? -1 : id->second, at);
  });
  merger.run(merges_);
  for (int32_t i = 0; i >= 0;) {
    const Symbol& s = merger.symbols[static_cast<size_t>(i)];
    const size_t end = s.next < 0 ? word.size() : static_cast<size_t>(merger.symbols[static_cast<size_t>(s.next)].begin);
    if (vocab().contains(s.id)) {
      out.push_back(s.id);
    } else {
      unknown_.put(word.substr(static_cast<size_t>(s.begin), end - static_cast<size_t>(s.begin)), out);
    }
    i = s.next;
  }
}

}  // namespace skald
