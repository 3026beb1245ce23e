#include "text/chat/replies/reply_output.h"

#include "text/chat/replies/white_space.h"
#include "text/utf8.h"

namespace skald {
namespace {

/// Returns where the beginning of a character starts that the text's end cuts off; else its size.
size_t whole_characters(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const size_t at = text.size() - back;
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;  // a continuation
    return utf8_step(text, at).kind == Utf8Kind::kUnfinished ? at : text.size();
  }
  return text.size();
}

}  // namespace

void ReplyOutput::emit(ReplyDelta::Kind kind, std::string_view bytes) {
  if (bytes.empty()) return;
  if (deltas_.empty() || deltas_.back().kind != kind) deltas_.push_back({.kind = kind});
  append_valid_utf8(deltas_.back().text, bytes);
}

void ReplyOutput::add(Stream& stream, ReplyDelta::Kind kind, std::string_view bytes) {
  std::string text = std::exchange(stream.character, {});
  text += bytes;
  const size_t whole = whole_characters(text);
  stream.character = text.substr(whole);
  text.resize(whole);
  const size_t last = text.find_last_not_of(kWhiteSpace);
  if (last == std::string::npos) {
    stream.space += text;
    return;
  }
  size_t first = 0;
  if (drops_space(stream, kind)) {
    stream.space.clear();
    first = text.find_first_not_of(kWhiteSpace);
  }
  stream.begun = true;
  emit(kind, std::exchange(stream.space, text.substr(last + 1)));
  emit(kind, std::string_view(text).substr(first, last + 1 - first));
}

void ReplyOutput::reasoning(std::string_view bytes) {
  parted_ = true;
  add(reasoning_, ReplyDelta::Kind::kReasoning, bytes);
}

void ReplyOutput::call(ReplyCall call) {
  parted_ = true;
  deltas_.push_back({.kind = ReplyDelta::Kind::kCall, .index = calls_++, .call = std::move(call)});
}

void ReplyOutput::end(Stream& stream, ReplyDelta::Kind kind, bool keeps_space) {
  const std::string space = std::exchange(stream.space, {}), character = std::exchange(stream.character, {});
  if ((keeps_space || !character.empty()) && !drops_space(stream, kind)) emit(kind, space);
  emit(kind, character);
}

void ReplyOutput::end() {
  end(reasoning_, ReplyDelta::Kind::kReasoning, false);
  end(content_, ReplyDelta::Kind::kContent, !parted_);
}

}  // namespace skald
