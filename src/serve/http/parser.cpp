#include "serve/http/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>

#include "base/lowercase.h"
#include "serve/http/target.h"

namespace skald::serve {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

// A body into a string, which grows with the bytes that come and not by the number in Content-Length.
struct GrowingBody {
  using value_type = std::string;
  class reader {  // NOLINT(readability-identifier-naming): Beast's name
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& body) : body_(body) {}
    template <class Length>
    static void init(const Length&, error_code& failed) {
      failed = {};
    }
    template <class Buffers>
    size_t put(const Buffers& buffers, error_code& failed) {
      failed = {};
      const size_t before = body_.size();
      for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer buffer = *at;
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      return body_.size() - before;
    }
    static void finish(error_code& failed) { failed = {}; }

   private:
    value_type& body_;
  };
};

std::string_view text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

int64_t count_of(const HttpRequest& request, std::string_view name) {
  return std::ranges::count_if(request.headers, [&](const auto& field) { return field.first == name; });
}

}  // namespace

struct RequestReader::Parser {
  http::request_parser<GrowingBody> beast;
};

RequestReader::RequestReader(const HttpOptions& options)
    : max_body_(options.max_body), max_line_(options.max_line), scan_(options) {}
RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::refuse(int status, std::string message) {
  status_ = status;
  message_ = std::move(message);
  return State::kRefused;
}

HttpRefusal RequestReader::refusal() const {
  return {.status = status_, .message = message_, .method = request_.method, .path = request_.path};
}

int64_t RequestReader::body_bytes() const {
  if (!parser_) return 0;
  const auto told = parser_->beast.content_length();
  return std::max(static_cast<int64_t>(told ? *told : 0), static_cast<int64_t>(parser_->beast.get().body().size()));
}

bool RequestReader::take_expectation() { return std::exchange(expects_, false); }

RequestReader::State RequestReader::read(ByteQueue& in) {
  if (!parser_) {
    if (const State state = read_head(in); state != State::kDone) return state;
  }
  return read_body(in);
}

RequestReader::State RequestReader::read_head(ByteQueue& in) {
  const bool knew_line = !scan_.target().empty();
  const HeadScan::State seen = scan_.look(in.view());
  if (!knew_line && !scan_.target().empty()) {
    request_.method = scan_.method();
    if (!read_target(scan_.target(), request_)) return refuse(400, "the target of the request is no path");
  }
  if (seen == HeadScan::State::kMore) return State::kMore;
  if (seen == HeadScan::State::kRefused) return refuse(scan_.status(), scan_.message());
  const State state = parse_head(in.view().substr(0, scan_.size()));
  in.consume(scan_.size());
  return state;
}

RequestReader::State RequestReader::parse_head(std::string_view given) {
  std::string head(given);
  if (char& minor = head[head.find('\r') - 1]; minor > '1') minor = '1';  // Beast knows no later ones
  parser_ = std::make_unique<Parser>();
  auto& beast = parser_->beast;
  beast.header_limit(static_cast<uint32_t>(head.size() + 1));
  beast.body_limit(static_cast<uint64_t>(max_body_));
  error_code failed;
  beast.put(boost::asio::const_buffer(head.data(), head.size()), failed);
  const HttpFields authority = std::exchange(request_.headers, {});  // of a target that is an absolute URL
  for (const auto& field : beast.get())
    request_.headers.emplace_back(lowercase(text_of(field.name_string())), std::string(text_of(field.value())));
  if (failed == http::error::body_limit) return refuse(413, fmt::format("body over {} bytes", max_body_));
  if (failed) return refuse(400, fmt::format("malformed request: {}", failed.message()));
  http10_ = beast.get().version() == 10;
  keeps_alive_ = beast.keep_alive();
  const State state = check_fields();
  if (!authority.empty()) {
    std::erase_if(request_.headers, [](const auto& field) { return field.first == "host"; });
    request_.headers.push_back(authority[0]);
  }
  beast.eager(true);
  return state;
}

RequestReader::State RequestReader::check_fields() {
  const int64_t hosts = count_of(request_, "host");
  if (hosts > 1 || (hosts == 0 && !http10_)) return refuse(400, "want the header Host once");
  if (const State state = check_body_fields(); state != State::kDone) return state;
  const std::string expect = lowercase(request_.header("expect"));
  if (!expect.empty() && !http10_) {
    if (expect != "100-continue") return refuse(417, "of Expect only 100-continue is supported");
    expects_ = !parser_->beast.is_done();
  }
  return State::kDone;
}

RequestReader::State RequestReader::check_body_fields() {
  const int64_t encodings = count_of(request_, "transfer-encoding");
  if (encodings > 0) {
    if (count_of(request_, "content-length") > 0) return refuse(400, "both Content-Length and Transfer-Encoding");
    if (http10_) return refuse(400, "Transfer-Encoding in a request of HTTP/1.0");
    if (encodings > 1 || lowercase(request_.header("transfer-encoding")) != "chunked")
      return refuse(501, "of Transfer-Encoding only chunked is supported");
  }
  const std::string encoding = lowercase(request_.header("content-encoding"));
  if (count_of(request_, "content-encoding") > 1 || (!encoding.empty() && encoding != "identity"))
    return refuse(415, "Content-Encoding is not supported: send the body as it is");
  return State::kDone;
}

RequestReader::State RequestReader::read_body(ByteQueue& in) {
  auto& beast = parser_->beast;
  // No chunked body ends with less than "0 CR LF CR LF", which Beast wants to see at once.
  constexpr size_t kLeastChunked = 5;
  while (!beast.is_done()) {
    if (in.size() < (beast.chunked() ? kLeastChunked : 1)) return State::kMore;
    error_code failed;
    const std::string_view bytes = in.view();
    const size_t used = beast.put(boost::asio::const_buffer(bytes.data(), bytes.size()), failed);
    in.consume(used);
    if (failed == http::error::body_limit) return refuse(413, fmt::format("body over {} bytes", max_body_));
    if (failed && failed != http::error::need_more) return refuse(400, fmt::format("malformed body: {}", failed.message()));
    if (failed == http::error::need_more && used == 0) {
      if (beast.chunked() && in.size() > static_cast<size_t>(max_line_))
        return refuse(400, fmt::format("line of a chunk, or trailers, over {} bytes", max_line_));
      return State::kMore;
    }
  }
  request_.body = std::move(beast.get().body());
  return State::kDone;
}

}  // namespace skald::serve
