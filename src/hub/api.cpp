#include "hub/api.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "hub/link_header.h"
#include "hub/url.h"

namespace skald {
namespace {

constexpr int64_t kLongestAnswer = int64_t{16} << 20;
constexpr int kMostPages = 1000;
constexpr size_t kMostFiles = 100000;

// A server that has no ranges sends all: the rest is not waited for.
struct Enough {};

}  // namespace

HubApi::HubApi(const HubSettings& settings, HttpClient& http, Retries retries)
    : settings_(settings), http_(http), retries_(std::move(retries)) {}

std::string HubApi::url(const HubRepo& repo, std::string_view kind, std::string_view revision) const {
  return fmt::format("{}/api/models/{}/{}/{}", settings_.endpoint, repo.id(), kind, percent_encoded(revision, false));
}

// The token is for the endpoint's own host.
HttpRequest HubApi::request(std::string url) const {
  const bool own = origin_of(url) == origin_of(settings_.endpoint);
  return {.url = std::move(url), .token = own ? settings_.token : ""};
}

HttpAnswer HubApi::ask(const HttpRequest& request, std::string& text) {
  return with_retries(retries_, [&] { return http_.get_text(request, kLongestAnswer, text); });
}

std::string HubApi::commit(const HubRepo& repo, std::string_view revision) {
  const HttpRequest what = request(url(repo, "revision", revision));
  std::string text;
  with_retries(retries_, [&] {
    try {
      http_.get_text(what, kLongestAnswer, text);
    } catch (const HttpFailure& failure) {
      if (failure.unreachable()) fail(Errc::kDevice, "{}", failure.what());  // likely there is no network: no need to wait
      throw;
    }
  });
  return read_commit(text);
}

std::vector<HubFile> HubApi::model_files(const HubRepo& repo, std::string_view commit) {
  std::vector<HubFile> files;
  std::string at = url(repo, "tree", commit) + "?recursive=true", text;
  for (int page = 0; !at.empty(); ++page) {
    if (page == kMostPages) fail(Errc::kBadFile, "the hub's list of files has more than {} pages", kMostPages);
    const HttpAnswer answer = ask(request(at), text);
    for (HubFile& file : read_model_files(text)) files.push_back(std::move(file));
    if (files.size() > kMostFiles) fail(Errc::kBadFile, "the hub lists more than {} files", kMostFiles);
    const std::string next = next_link(answer.header("link"));
    at = next.empty() ? "" : follow(answer.url, next);
  }
  return files;
}

HttpRequest HubApi::file(const HubRepo& repo, std::string_view commit, std::string_view path) const {
  return request(fmt::format("{}/{}/resolve/{}/{}", settings_.endpoint, repo.id(), commit, percent_encoded(path, true)));
}

std::string HubApi::beginning(const HubRepo& repo, std::string_view commit, const HubFile& file, int64_t bytes) {
  HttpRequest request = this->file(repo, commit, file.path);
  request.from = 0;
  request.to = bytes - 1;
  std::string text;
  try {
    with_retries(retries_, [&] {
      text.clear();
      http_.get(request, {}, [&](std::span<const std::byte> more) {
        text.append(reinterpret_cast<const char*>(more.data()), more.size());
        if (std::ssize(text) >= bytes) throw Enough();
      });
    });
  } catch (const Enough&) {
    text.resize(static_cast<size_t>(bytes));
  }
  return text;
}

}  // namespace skald
