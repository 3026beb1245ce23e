#include "hub/pull.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "hub/adapter_folder.h"
#include "hub/cache.h"
#include "hub/folder_model.h"
#include "hub/record.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

class Pull {
 public:
  Pull(const HubSettings& settings, const PullRequest& request)
      : request_(request),
        repo_(request.name.repo),
        cache_(settings.cache),
        http_(request.events.check),
        api_(settings, http_, {.wait = wait_with(request.events.check), .say = request.events.say}) {}

  Pulled run() {
    const std::vector<HubModel> all = doing(repo_.id(), [&] { return listed(); });
    const HubModel& model = choose_model(all, request_.name, [&](const HubModel& m) { return fits(m); });
    const int64_t bytes = missing(model);
    if (request_.on_choice) request_.on_choice(model, all, bytes);
    check_disk_space(cache_.folder(), bytes);
    get(model);
    return {name_of(repo_, model, all), path_of(cache_, repo_, commit_, model), commit_};
  }

 private:
  std::vector<HubModel> listed() {
    commit_ = api_.commit(repo_, request_.revision);
    const std::vector<HubFile> files = api_.model_files(repo_, commit_);
    std::vector<HubModel> all = models_of(files);
    if (std::ranges::all_of(all, &HubModel::is_part)) refuse_other_adapters(files);
    return all;
  }

  bool fits(const HubModel& model) {
    return request_.memory.fits(model.bytes(),
                                [&] { return api_.beginning(repo_, commit_, model.files.front(), kBeginning); });
  }

  // Files may have the same content.
  int64_t missing(const HubModel& model) const {
    std::set<std::string> blobs;
    int64_t sum = 0;
    for (const HubFile& file : model.files)
      if (blobs.insert(file.blob).second) sum += missing_bytes(cache_, repo_, file);
    return sum;
  }

  // Only files that Skald got are its own to remove.
  std::vector<HubFile> ours(const HubModel& model) const {
    std::vector<HubFile> out;
    for (const HubFile& file : model.files) {
      std::error_code ignored;
      if (!fs::exists(cache_.snapshot(repo_, commit_) + "/" + file.path, ignored)) out.push_back(file);
    }
    return out;
  }

  // All contents come before the first link: a model is there as a whole or not at all.
  void get(const HubModel& model) {
    make_folders(cache_.snapshot(repo_, commit_));
    add_to_record(cache_, repo_, commit_, ours(model));
    for (const HubFile& file : model.files) download(api_, cache_, {repo_, commit_, file}, request_.events);
    for (const HubFile& file : model.files) cache_.link(repo_, commit_, file);
    cache_.set_ref(repo_, request_.revision, commit_);
  }

  const PullRequest& request_;
  const HubRepo& repo_;
  HubCache cache_;
  HttpClient http_;
  HubApi api_;
  std::string commit_;
};

}  // namespace

bool MemoryRule::fits(int64_t weights, const std::function<std::string()>& beginning) const {
  if (weights >= memory) return false;
  // No model's cache of 8192 tokens takes more: a layer has 12 d^2 weights of a few bits for 4 d bytes of a token, d being
  // 512 or more.
  constexpr int64_t kMost = 12;
  if (weights <= memory / (kMost + 1) || !cache_bytes) return true;
  return cache_bytes(beginning()) <= memory - weights;
}

Pulled pull(const HubSettings& settings, const PullRequest& request) {
  check_revision(request.revision);
  return Pull(settings, request).run();
}

}  // namespace skald
