// ReplyFormat: how models of a family write reasoning and tool calls; one file of formats/ each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/chat/replies/call_syntax.h"
#include "text/chat/replies/reply_reader.h"

namespace skald {

struct ReasoningMarks {
  std::string_view open, close;
  bool anywhere = false;  // control tokens: they mean themselves wherever they are. Else only in front of content
};

inline constexpr ReasoningMarks kThinkMarks[] = {{"<think>", "</think>"}};

/// The syntax of a reply whose parts are marked: content, reasoning and calls in any order.
struct MarkedReply {
  std::span<const CallSyntax> calls = {};  // of those with the same opening, the first that fits
  std::span<const ReasoningMarks> reasoning = kThinkMarks;
  std::string_view section_open = {}, section_close = {};  // around all calls; other text between them is noise
  std::span<const std::string_view> silent = {};           // further markers: they separate, and say nothing
  /// Calls without a marker, which are the whole content: none, JSON, or JSON and Python.
  enum class Bare : uint8_t { kNone, kJson, kJsonOrPython } bare = Bare::kNone;
  /// Calls that models write as plain JSON, maybe in a fence, are taken where they are all that comes.
  bool loose = false;
};

/// How calls are written, for grammars that begin at the trigger: trigger, call, {between, call}, end. The names $NAME,
/// $ARGUMENTS, $KEY and $VALUE stand for themselves, $INDEX for a number from 0 on, $ID for ten letters and digits. A call
/// without $NAME is none: content begins after it.
struct CallShape {
  enum class Values : uint8_t {
    kJson,
    kText,  // texts as they are, the rest as JSON
    kPython,
    kGemma,
  };
  std::string_view trigger;        // the text at which calls begin
  std::string_view call;           // one call, after the trigger
  std::string_view between = {};   // in front of a further call
  std::string_view end = {};       // after the last call
  std::string_view argument = {};  // one argument where $ARGUMENTS are several ($KEY, $VALUE; $STRING: true for texts, else
                                   // false; $TYPE: the JSON type's name)
  std::string_view comma = {};     // between those
  Values values = Values::kJson;
  bool alone = false;  // there is one call only
  bool whole = false;  // the content is calls and nothing else: the trigger is where it begins
};

/// The texts around content, for grammars of the content.
struct ContentShape {
  std::span<const ReasoningMarks> reasoning = {};  // none: those of MarkedReply, where read_marked() reads the replies
  std::string_view open = {}, close = {};          // often there, in front and after
  bool must_open = false;                          // `open` is always there, and nothing else between parts
  std::string_view before = {};                    // stands in front of the prompt's end, as it were
  std::span<const std::string_view> never = {};    // texts that no reply has, of formats with a reader of their own
};

struct ReplyFormat {
  std::string_view name;  // "deepseek-v3.1" of deepseek_v3_1.cpp
  /// Whether a chat template, by its source, asks for this format. At most one format says so.
  bool (*is_of)(std::string_view template_source);
  MarkedReply marked = {};
  std::span<const CallShape> triggers = {};
  ContentShape content = {};
  /// Reads replies, where read_marked() does not.
  Reading (*read)(ReplyReader& r, const MarkedReply& marked) = nullptr;
  /// The form of past calls that its templates want.
  bool short_ids = false;     // ids of nine letters and digits
  bool single_calls = false;  // one call in a message
};

/// Returns all formats, one per file (generated).
std::span<const ReplyFormat* const> reply_formats();

/// Throws kNotFound naming the formats that there are.
const ReplyFormat& find_reply_format(std::string_view name);

/// Returns the format of a chat template: `none` where it knows no tools, `json` where it has some and says in no known way
/// how they are called.
const ReplyFormat& detect_reply_format(std::string_view template_source);

/// Returns whether a template uses the variable `tools`.
bool uses_tools(std::string_view template_source);

/// For `is_of`.
inline bool has(std::string_view source, std::string_view text) { return source.find(text) != std::string_view::npos; }

}  // namespace skald
