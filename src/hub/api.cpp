#include "hub/api.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "hub/link_header.h"
#include "hub/url.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

constexpr int64_t kLongestAnswer = int64_t{16} << 20;
constexpr int kMostPages = 1000;
constexpr size_t kMostFiles = 100000;

std::string text_at(const json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || at == object.end() || !at->is_string())
    fail(Errc::kBadFile, "the hub's answer has no text '{}'", key);
  return at->get<std::string>();
}

int64_t size_at(const json& object) {
  const auto at = object.find("size");
  if (at == object.end() || !at->is_number_integer() || at->get<int64_t>() < 0 || at->get<int64_t>() > int64_t{1} << 50)
    fail(Errc::kBadFile, "the hub's answer has no size that a file can have");
  return at->get<int64_t>();
}

std::string blob_at(const json& object, size_t digits) {
  const std::string blob = text_at(object, "oid");
  if (!is_blob(blob) || blob.size() != digits)
    fail(Errc::kBadFile, "oid {}: want {} hexadecimal digits", skald::quoted(blob), digits);
  return blob;
}

// Of an entry of a listing; nothing of a folder or another file.
std::optional<HubFile> gguf_file(const json& entry) {
  if (text_at(entry, "type") != "file") return std::nullopt;
  const std::string path = text_at(entry, "path");
  if (!path.ends_with(".gguf")) return std::nullopt;
  check_hub_path(path);
  return doing(path, [&] {
    const auto lfs = entry.find("lfs");
    if (lfs == entry.end() || lfs->is_null()) return HubFile{path, size_at(entry), blob_at(entry, 40)};
    if (!lfs->is_object()) fail(Errc::kBadFile, "the hub's answer has an 'lfs' that is no object");
    return HubFile{path, size_at(*lfs), blob_at(*lfs, 64)};
  });
}

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
  const std::string sha = text_at(parse_json(text), "sha");
  if (!is_commit(sha)) fail(Errc::kBadFile, "sha {}: want a commit of 40 hexadecimal digits", skald::quoted(sha));
  return sha;
}

std::vector<HubFile> HubApi::gguf_files(const HubRepo& repo, std::string_view commit) {
  std::vector<HubFile> files;
  std::string at = url(repo, "tree", commit) + "?recursive=true", text;
  for (int page = 0; !at.empty(); ++page) {
    if (page == kMostPages) fail(Errc::kBadFile, "the hub's list of files has more than {} pages", kMostPages);
    const HttpAnswer answer = ask(request(at), text);
    const json list = parse_json(text);
    if (!list.is_array()) fail(Errc::kBadFile, "the hub's list of files is no list");
    for (const json& entry : list)
      if (auto file = gguf_file(entry)) files.push_back(std::move(*file));
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
