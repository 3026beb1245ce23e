#include "text/chat/replies/marked_reply.h"

#include <algorithm>

#include "text/chat/replies/open_reasoning.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

/// All markers of a format, and the kind of each.
struct Markers {
  enum class Kind : uint8_t { kSilent, kReasoning, kReasoningEnd, kSection, kCall, kCallEnd };

  explicit Markers(const MarkedReply& marked) {
    for (const CallSyntax& call : marked.calls) {
      const Openings o = std::visit([](const auto& s) { return openings(s); }, call);
      add(o.first, Kind::kCall);
      add(o.second, Kind::kCall);
    }
    add(marked.section_open, Kind::kSection);
    calls = texts.size();
    for (const ReasoningMarks& r : marked.reasoning) {
      add(r.open, Kind::kReasoning, &r);
      add(r.close, Kind::kReasoningEnd, &r);
    }
    for (std::string_view s : marked.silent) add(s, Kind::kSilent);
    for (const CallSyntax& call : marked.calls) {
      for (std::string_view end : std::visit([](const auto& s) { return endings(s); }, call)) add(end, Kind::kCallEnd);
    }
    add(marked.section_close, Kind::kCallEnd);
    for (std::string_view t : texts) {
      if (firsts.find(t.front()) == std::string::npos) firsts += t.front();
    }
  }

  std::vector<std::string_view> texts;  // those of calls first
  std::vector<Kind> kinds;
  std::vector<const ReasoningMarks*> reasoning;
  size_t calls = 0;    // how many
  std::string firsts;  // the bytes that they begin with

 private:
  void add(std::string_view text, Kind kind, const ReasoningMarks* marks = nullptr) {
    if (text.empty() || std::find(texts.begin(), texts.end(), text) != texts.end()) return;
    texts.push_back(text);
    kinds.push_back(kind);
    reasoning.push_back(marks);
  }
};

/// Reads calls after an opening, by the first syntax that has it and fits.
Reading read_opened(ReplyReader& r, const MarkedReply& m, std::string_view opening) {
  const size_t begin = r.in.at();
  for (const CallSyntax& call : m.calls) {
    const Openings o = std::visit([](const auto& s) { return openings(s); }, call);
    if (o.first != opening && o.second != opening) continue;
    const bool fit = co_await std::visit([&](const auto& s) { return fits(r, s, opening); }, call);
    r.in.go(begin);
    if (!fit) continue;
    const bool read = co_await std::visit([&](const auto& s) { return read_calls(r, s, opening); }, call);
    co_return read;
  }
  const bool more = co_await skip_space(r);
  if (more) r.in.go(begin);  // else the reply ends here, in an unfinished call
  co_return false;
}

/// Reads a section's calls. False: a call is none, or the section holds something and no call.
Reading read_section(ReplyReader& r, const MarkedReply& m, const Markers& markers) {
  const std::span<const std::string_view> opens(markers.texts.data(), markers.calls);
  bool called = false, noise = false;
  for (;;) {
    const bool more = co_await skip_space(r);
    if (!more) co_return called && !noise;
    const bool closed = co_await take(r, m.section_close);
    if (closed) co_return called || !noise;
    size_t which = 0;
    const bool opened = co_await take_any(r, opens, which);
    if (!opened) {
      noise = true;
      r.in.skip(1);
      continue;
    }
    const bool read = co_await read_opened(r, m, markers.texts[which]);
    if (!read) co_return false;
    called = true;
    noise = false;
  }
}

Reading read_block(ReplyReader& r, const MarkedReply& m, const Markers& markers, size_t which) {
  if (markers.kinds[which] == Markers::Kind::kSection) {
    const bool read = co_await read_section(r, m, markers);
    co_return read;
  }
  const bool read = co_await read_opened(r, m, markers.texts[which]);
  co_return read;
}

/// Reads calls, of which the first opening was read, up to the reply's end. They are held.
Reading read_last_blocks(ReplyReader& r, const MarkedReply& m, const Markers& markers, size_t which) {
  const std::span<const std::string_view> opens(markers.texts.data(), markers.calls);
  for (;;) {
    const bool read = co_await read_block(r, m, markers, which);
    if (!read) co_return false;
    const bool more = co_await skip_space(r);
    if (!more) co_return !r.truncated;
    const bool opened = co_await take_any(r, opens, which);
    if (!opened) co_return false;
  }
}

/// Reads reasoning up to and with its end. Among control tokens, a silent one ends it too.
Reading read_reasoning(ReplyReader& r, const MarkedReply& m, const Markers& markers, const ReasoningMarks& marks) {
  std::vector<std::string_view> texts(markers.texts.begin(),
                                      markers.texts.begin() + static_cast<std::ptrdiff_t>(markers.calls));
  texts.push_back(marks.close);
  if (marks.anywhere) texts.insert(texts.end(), m.silent.begin(), m.silent.end());
  size_t tried = 0;  // bytes that a reading of calls has seen are not looked at for calls again
  bool line = true;  // begins here
  for (;;) {
    r.in.forget();
    const bool more = co_await r.in.need(1);
    if (!more) co_return true;
    const std::string_view rest = r.in.rest();
    const size_t plain = std::min(rest.find_first_of(markers.firsts), rest.size());
    r.out.reasoning(rest.substr(0, plain));
    if (plain > 0) line = rest[plain - 1] == '\n';
    r.in.skip(plain);
    if (plain > 0) continue;
    const size_t begin = r.in.at();
    size_t which = 0;
    const bool marked = co_await take_any(r, texts, which);
    if (marked && which >= markers.calls) co_return true;
    if (!marked && is_cut_marker(r, texts, line)) r.in.skip(r.in.rest().size());
    if (r.in.at_end()) co_return true;
    line = false;
    const size_t after = marked ? r.in.at() : begin + 1;
    if (marked && begin >= tried) {
      std::vector<ReplyCall> held;
      r.held = &held;
      const bool read = co_await read_last_blocks(r, m, markers, which);
      r.held = nullptr;
      tried = r.in.at();
      if (read) {
        for (ReplyCall& call : held) r.add(std::move(call));
        co_return true;
      }
    }
    r.out.reasoning(r.in.text(begin, after));
    r.in.go(after);
  }
}

/// Gives out text that was read for calls and is none. Of a reply that was cut off within marked calls it is nothing.
void give_up_calls(ReplyReader& r, bool bare) {
  if (!bare && r.in.at_end() && r.truncated)
    r.out.reasoning({});  // the white space before it is no content
  else
    r.out.content(r.in.text(r.unread, r.in.at()));
}

}  // namespace

Reading take_end(ReplyReader& r, const MarkedReply& m) {
  for (;;) {
    const bool more = co_await skip_space(r);
    if (!more) co_return true;
    size_t which = 0;
    const bool silent = co_await take_any(r, m.silent, which);
    if (!silent) co_return false;
  }
}

Reading read_marked(ReplyReader& r, const MarkedReply& m) {
  using Kind = Markers::Kind;
  const Markers markers(m);
  const ReasoningMarks* open = open_reasoning(m.reasoning, r.generation_prompt);
  if (open) co_await read_reasoning(r, m, markers, *open);
  bool fresh = true, called = false;               // no content since the beginning or the last part
  bool line = true;                                // begins here
  bool bare = m.bare != MarkedReply::Bare::kNone;  // the content may be calls
  bool loose = m.loose && r.tools.known();         // likewise
  for (;;) {
    r.in.forget();
    const bool more = co_await r.in.need(1);
    if (!more) co_return true;
    const std::string_view rest = r.in.rest();
    if (fresh && is_white_space(rest.front())) {
      r.out.content(rest.substr(0, 1));
      r.in.skip(1);
      continue;
    }
    r.unread = r.in.at();
    if (fresh && loose && (rest.front() == '`' || (!bare && (rest.front() == '{' || rest.front() == '[')))) {
      const bool read = co_await read_loose_calls(r, m);
      if (read) co_return true;
      loose = false;
      r.in.go(r.unread);
      continue;
    }
    if (fresh && bare && (rest.front() == '{' || rest.front() == '[')) {
      bool called = co_await read_bare_calls(r, m);
      if (!called && loose && r.truncated) {
        r.in.go(r.unread);
        called = co_await read_loose_calls(r, m);
      }
      if (called) co_return true;
      bare = fresh = false;
      give_up_calls(r, true);
      continue;
    }
    const size_t plain = std::min(rest.find_first_of(markers.firsts), rest.size());
    if (plain > 0) {
      r.out.content(rest.substr(0, plain));
      line = rest[plain - 1] == '\n';
      r.in.skip(plain);
      fresh = false;
      continue;
    }
    size_t which = 0;
    const bool marked = co_await take_any(r, markers.texts, which);
    if (!marked && is_cut_marker(r, markers.texts, fresh || line)) {
      r.out.reasoning({});
      co_return true;
    }
    const Kind kind = marked ? markers.kinds[which] : Kind::kSilent;
    const bool reasoning = kind == Kind::kReasoning || kind == Kind::kReasoningEnd;
    const bool text =
        (reasoning && !fresh && !markers.reasoning[which]->anywhere) || (kind == Kind::kCallEnd && !(fresh && called));
    if (!marked || text) {
      if (!marked) r.in.skip(1);
      r.out.content(r.in.text(r.unread, r.in.at()));
      fresh = line = false;
    } else if (kind == Kind::kReasoning) {
      co_await read_reasoning(r, m, markers, *markers.reasoning[which]);
      fresh = true;
    } else if (kind == Kind::kReasoningEnd) {
      r.out.reasoning({});  // nothing, but content begins here
    } else if (kind == Kind::kSection || kind == Kind::kCall) {
      fresh = co_await read_block(r, m, markers, which);
      called = called || fresh;
      bare = loose = false;
      if (!fresh) give_up_calls(r, false);
    }
  }
}

}  // namespace skald
