// HubApi: asks a hub about a repository, and for its files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hub/answers.h"
#include "hub/http.h"
#include "hub/names.h"
#include "hub/retry.h"
#include "hub/settings.h"

namespace skald {

/// https://huggingface.co/docs/hub/api
class HubApi {
 public:
  /// `settings` must outlive it.
  HubApi(const HubSettings& settings, HttpClient& http, Retries retries);

  /// Gives the commit that a branch, tag or commit is at present. Throws kNotFound where the hub has no such repository or
  /// revision, kDevice where it cannot be asked.
  std::string commit(const HubRepo& repo, std::string_view revision);

  /// Returns the files of a commit that models and adapters are made of. Throws kBadFile for names and numbers that are
  /// refused.
  std::vector<HubFile> model_files(const HubRepo& repo, std::string_view commit);

  /// Returns a request for a file, with the token.
  HttpRequest file(const HubRepo& repo, std::string_view commit, std::string_view path) const;
  /// Returns the file's first bytes, at most `bytes`.
  std::string beginning(const HubRepo& repo, std::string_view commit, const HubFile& file, int64_t bytes);

  HttpClient& http() { return http_; }
  const Retries& retries() const { return retries_; }

 private:
  std::string url(const HubRepo& repo, std::string_view kind, std::string_view revision) const;
  HttpRequest request(std::string url) const;
  HttpAnswer ask(const HttpRequest& request, std::string& text);

  const HubSettings& settings_;
  HttpClient& http_;
  Retries retries_;
};

}  // namespace skald
