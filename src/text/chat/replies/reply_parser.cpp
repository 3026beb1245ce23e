#include "text/chat/replies/reply_parser.h"

#include "text/chat/replies/marked_reply.h"

namespace skald {

struct ReplyParser::State {
  State(const ReplyFormat& format, ReplyOptions options)
      : reader{.in = {},
               .out = {},
               .tools = std::move(options.tools),
               .generation_prompt = std::move(options.generation_prompt)},
        reading((format.read ? format.read : read_marked)(reader, format.marked)) {
    reading.start(loop);
  }

  std::vector<ReplyDelta> run() {
    if (reader.in.may_go_on()) loop.run();
    reading.check();
    return reader.out.take();
  }

  ReplyReader reader;
  ReadingLoop loop;
  Reading reading;
};

ReplyParser::ReplyParser(const ReplyFormat& format, ReplyOptions options)
    : state_(std::make_unique<State>(format, std::move(options))) {}
ReplyParser::~ReplyParser() = default;
ReplyParser::ReplyParser(ReplyParser&&) noexcept = default;
ReplyParser& ReplyParser::operator=(ReplyParser&&) noexcept = default;

std::vector<ReplyDelta> ReplyParser::push(std::string_view bytes) {
  state_->reader.in.add(bytes);
  return state_->run();
}

std::vector<ReplyDelta> ReplyParser::finish(bool truncated) {
  state_->reader.truncated = truncated;
  state_->reader.in.end();
  std::vector<ReplyDelta> out = state_->run();
  state_->reader.out.end();
  for (ReplyDelta& delta : state_->reader.out.take()) out.push_back(std::move(delta));
  return out;
}

Reply parse_reply(const ReplyFormat& format, std::string_view text, ReplyOptions options, bool truncated) {
  ReplyParser parser(format, std::move(options));
  Reply out;
  out.add(parser.push(text));
  out.add(parser.finish(truncated));
  return out;
}

}  // namespace skald
