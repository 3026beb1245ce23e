#include "text/text_frame.h"

#include <algorithm>
#include <utility>

namespace skald {
namespace {

// Shortens two texts by the longest-first rule of Hugging Face's tokenizers.
void shorten(std::vector<TokenId>& a, std::vector<TokenId>& b, int64_t most) {
  std::vector<TokenId>&less = a.size() <= b.size() ? a : b, &more = a.size() <= b.size() ? b : a;
  int64_t n_less = std::ssize(less), n_more = n_less > most ? n_less : std::max(n_less, most - n_less);
  if (n_less + n_more > most) {
    n_less = most / 2;
    n_more = n_less + most % 2;
  }
  less.resize(static_cast<size_t>(std::min<int64_t>(n_less, std::ssize(less))));
  more.resize(static_cast<size_t>(std::min<int64_t>(n_more, std::ssize(more))));
}

void append(std::vector<TokenId>& to, const std::vector<TokenId>& ids) { to.insert(to.end(), ids.begin(), ids.end()); }

}  // namespace

// BERT: [CLS] a [SEP] b [SEP]. RoBERTa and its kin: <s> a </s></s> b </s>. T5: a </s> b </s>. Decoders: <bos> a <bos> b,
// each with an end where they add one.
TextFrame::TextFrame(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  const Vocab& v = tokenizer.vocab();
  if (v.add_bos && v.bos) open_.push_back(*v.bos);
  if (v.add_sep && v.sep) close_.push_back(*v.sep);
  if (v.add_eos && v.eos) close_.push_back(*v.eos);
  const auto spelled = [&](const Ids& ids, std::string_view piece) {
    return ids.size() == 1 && v.pieces[static_cast<size_t>(ids[0])] == piece;
  };
  between_ = close_;
  typed_ = spelled(open_, "[CLS]");
  if (v.model == "llama" || close_.empty())
    between_.insert(between_.end(), open_.begin(), open_.end());
  else if (spelled(open_, "<s>") && spelled(close_, "</s>"))
    between_.push_back(close_[0]);
}

TextFrame::Ids TextFrame::encoded(std::string_view text) const {
  return tokenizer_.encode(text, {.add_special = false, .parse_special = false});
}

FramedText TextFrame::one(std::string_view text, int64_t most) const { return framed(encoded(text), most); }

FramedText TextFrame::one(const MarkedText& text, int64_t most) const {
  return framed(tokenizer_.encode(text, {.add_special = false, .parse_special = true}), most);
}

FramedText TextFrame::framed(Ids ids, int64_t most) const {
  const int64_t special = std::ssize(open_) + std::ssize(close_);
  if (most > 0) ids.resize(static_cast<size_t>(std::min(std::ssize(ids), std::max<int64_t>(0, most - special))));
  FramedText out{.tokens = open_};
  append(out.tokens, ids);
  append(out.tokens, close_);
  return out;
}

FramedText TextFrame::pair(std::string_view first, std::string_view second, int64_t most) const {
  Ids a = encoded(first), b = encoded(second);
  const int64_t special = std::ssize(open_) + std::ssize(between_) + std::ssize(close_);
  if (most > 0) shorten(a, b, std::max<int64_t>(0, most - special));
  PairFrame frame = around(a);
  FramedText out{.tokens = std::move(frame.before), .second = frame.second};
  append(out.tokens, b);
  append(out.tokens, frame.after);
  return out;
}

PairFrame TextFrame::around(std::string_view first) const { return around(encoded(first)); }

PairFrame TextFrame::around(const Ids& first) const {
  PairFrame out{.before = open_, .after = close_};
  append(out.before, first);
  append(out.before, between_);
  if (typed_) out.second = std::ssize(out.before);
  return out;
}

}  // namespace skald
