// skald parse-reply: the parts of a model's text: content, reasoning and tool calls.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "text/chat/template_source.h"
#include "tools/chat/reply_json.h"
#include "tools/report/json_lines.h"

namespace skald {
namespace {

struct ParseReplyArgs {
  ModelFlags model;
  std::string format, template_file;
  std::string text_file = "-", pieces_file, tools_file, generation_prompt;
  int64_t stream_bytes = 0;
  bool truncated = false, detect = false, list = false;
  std::string output = "json";
};

const ReplyFormat& reply_format(const ParseReplyArgs& o) {
  const int sources = !o.format.empty() + !o.template_file.empty() + o.model.given();
  if (sources != 1) throw UsageError("parse-reply: want exactly one of --format, --chat-template-file and -m");
  if (o.detect && !o.format.empty()) throw UsageError("parse-reply: --detect is for a template: --chat-template-file or -m");
  if (!o.format.empty()) {
    try {
      return find_reply_format(o.format);
    } catch (const Error& e) {
      throw UsageError(std::string("--format: ") + e.what());
    }
  }
  if (!o.model.given()) return detect_reply_format(read_text(o.template_file));
  const Meta meta = load_metadata(o.model.file(), o.model.options());
  return detect_reply_format(find_template(meta, /*with_tools=*/true).text);
}

ReplyOptions reply_options(const ParseReplyArgs& o) {
  ReplyOptions out{.generation_prompt = o.generation_prompt};
  if (!o.tools_file.empty()) {
    const std::string tools = read_text(o.tools_file);
    out.tools = doing(o.tools_file, [&] { return ReplyTools::parse(tools); });
  }
  return out;
}

/// The text, and the pieces in which it comes.
struct Pieces {
  std::string text;
  std::vector<std::string> listed;
  std::vector<std::string_view> pieces;
};

std::unique_ptr<Pieces> read_pieces(const ParseReplyArgs& o) {
  auto out = std::make_unique<Pieces>();
  if (o.pieces_file.empty()) {
    out->text = read_text(o.text_file);
    out->pieces = equal_pieces(out->text, static_cast<size_t>(o.stream_bytes));
    return out;
  }
  out->text = read_text(o.pieces_file);
  out->listed = doing(o.pieces_file, [&] { return texts_of_lines(out->text); });
  out->pieces.assign(out->listed.begin(), out->listed.end());
  return out;
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const ReplyFormat* format : reply_formats()) out.emplace_back(format->name);
  return out;
}

void run(const ParseReplyArgs& o, bool text_given, bool bytes_given) {
  if (o.list) {
    for (const std::string& name : format_names()) fmt::print("{}\n", name);
    return;
  }
  if (!o.pieces_file.empty() && (text_given || bytes_given)) {
    throw UsageError("parse-reply: --pieces-file excludes --text-file and --stream-bytes");
  }
  if (o.stream_bytes < 0 || (bytes_given && o.stream_bytes == 0)) {
    throw UsageError("parse-reply: --stream-bytes must be at least 1");
  }
  const ReplyFormat& format = reply_format(o);
  if (o.detect) {
    fmt::print("{}\n", format.name);
    return;
  }
  ReplyParser parser(format, reply_options(o));
  Reply reply;
  const auto take = [&](const std::vector<ReplyDelta>& deltas) {
    if (o.output == "json") return reply.add(deltas);
    for (const ReplyDelta& delta : deltas) std::fputs(delta_line(delta).c_str(), stdout);
  };
  const std::unique_ptr<Pieces> text = read_pieces(o);
  for (std::string_view piece : text->pieces) take(parser.push(piece));
  take(parser.finish(o.truncated));
  if (o.output == "json") std::fputs(reply_json(reply).c_str(), stdout);
}

Action declare_parse_reply(Flags& flags) {
  auto o = std::make_shared<ParseReplyArgs>();
  flags.group("Format");
  flags.add("--format", o->format, "how the model writes calls; --list names the formats", "NAME");
  flags.offer(format_names());
  flags.add("--chat-template-file", o->template_file, "the format of this template; -: standard input", "FILE");
  o->model.declare(flags);
  flags.add("--detect", o->detect, "print the format's name, and read no text");
  flags.add("--list", o->list, "print the names of all formats");
  flags.group("Reply");
  flags.add("--text-file", o->text_file, "file with the text; -: standard input", "FILE");
  flags.add("--pieces-file", o->pieces_file, "file with the text in pieces, a JSON text per line; -: standard input",
            "FILE");
  flags.add("--stream-bytes", o->stream_bytes, "take the text in pieces of N bytes; 0: at once");
  flags.add("--tools", o->tools_file, "file with the request's tools, whose schemas say which values are texts", "FILE");
  flags.add("--generation-prompt", o->generation_prompt, "how the prompt ended: a reply may begin within the reasoning");
  flags.add("--truncated", o->truncated, "the text was cut off at the token limit: an unfinished call is none");
  flags.group("Output");
  flags.add("-o,--output", o->output, "json: the whole; events: a delta of the chat API per line, as pieces come",
            "json|events");
  return [o, flags] { run(*o, flags.given("--text-file"), flags.given("--stream-bytes")); };
}

}  // namespace

extern const Command command_parse_reply;
const Command command_parse_reply{
    .name = "parse-reply",
    .summary = "Read tool calls and reasoning from a model's text",
    .examples =
        "  skald parse-reply --format hermes --text-file reply.txt\n"
        "  skald parse-reply -m model.gguf --tools tools.json --text-file reply.txt -o events\n"
        "  skald parse-reply --chat-template-file template.jinja --detect\n",
    .declare = declare_parse_reply};

}  // namespace skald
