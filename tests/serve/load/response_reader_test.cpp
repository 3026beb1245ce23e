#include "serve/load/response_reader.h"

#include <gtest/gtest.h>

#include "skald/error.h"

namespace skald::serve::response_reader_test {
namespace {

// The body, read in pieces of `step` bytes.
std::string body_of(ResponseReader& reader, const std::string& bytes, size_t step) {
  std::string body;
  const auto sink = [&](std::string_view piece) { body += piece; };
  for (size_t at = 0; at < bytes.size(); at += step) reader.read(std::string_view(bytes).substr(at, step), sink);
  return body;
}

std::string body_of(const std::string& bytes, size_t step = 1) {
  ResponseReader reader;
  const std::string body = body_of(reader, bytes, step);
  reader.end();
  return body;
}

TEST(ResponseReader, ReadsBodiesInEveryFraming) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
  for (const size_t step : {1, 2, 7, 1000}) {
    EXPECT_EQ(body_of(head + "Content-Length: 5\r\n\r\nhello", step), "hello");
    EXPECT_EQ(body_of(head + "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n", step),
              "hello");
    EXPECT_EQ(body_of(head + "\r\nhello", step), "hello");
    EXPECT_EQ(body_of("HTTP/1.1 100 Continue\r\n\r\n" + head + "Content-Length: 2\n\nok", step), "ok");
    EXPECT_EQ(body_of("HTTP/1.1 204 No Content\r\n\r\n", step), "");
  }
}

TEST(ResponseReader, TellsStatusHeadersAndWhetherTheConnectionStays) {
  ResponseReader reader;
  body_of(reader, "HTTP/1.1 429 Slow Down\r\nRetry-After:  7 \r\nContent-Length: 0\r\n\r\n", 1);
  EXPECT_EQ(reader.status(), 429);
  EXPECT_EQ(reader.header("retry-after"), "7");
  EXPECT_EQ(reader.header("none"), "");
  EXPECT_TRUE(reader.keeps_alive());
  for (const char* head :
       {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nx"}) {
    ResponseReader closes;
    body_of(closes, head, 3);
    EXPECT_FALSE(closes.keeps_alive()) << head;
  }
}

TEST(ResponseReader, AnswersThatAreCutShortAreErrors) {
  for (const char* bytes : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"})
    EXPECT_THROW(body_of(bytes), Error) << bytes;
}

TEST(ResponseReader, WhatIsNoHttpIsAnError) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes :
       {std::string("SSH-2.0-x\r\n"), std::string("HTTP/1.1 abc\r\n\r\n"), std::string("HTTP/1.1 099 x\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"), chunked + "x\r\n",
        chunked + "1\r\nabc\r\n", std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
        std::string("HTTP/1.1 204 x\r\n\r\nmore")})
    EXPECT_THROW(body_of(bytes), Error) << bytes;
}

TEST(ResponseReader, EndlessHeadersAndLinesAreErrors) {
  const std::string endless(size_t{100} << 10, 'x');
  EXPECT_THROW(body_of("HTTP/1.1 200 " + endless, 999), Error);
  EXPECT_THROW(body_of("HTTP/1.1 200 OK\r\nA: " + endless, 999), Error);
  std::string many = "HTTP/1.1 200 OK\r\n";
  while (many.size() < size_t{100} << 10) many += "A: b\r\n";
  EXPECT_THROW(body_of(many, 999), Error);
  EXPECT_THROW(body_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0" + endless, 999), Error);
}

}  // namespace
}  // namespace skald::serve::response_reader_test
