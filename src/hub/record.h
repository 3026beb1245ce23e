// The files of a commit that Skald got: it removes no others, since a cache has several users.
#pragma once

#include <string>
#include <vector>

#include "hub/api.h"
#include "hub/cache.h"

namespace skald {

/// Files by paths, with the names of their contents.
std::vector<HubFile> read_record(const HubCache& cache, const HubRepo& repo, const std::string& commit);
/// Adds those that are not in it yet.
void add_to_record(const HubCache& cache, const HubRepo& repo, const std::string& commit, const std::vector<HubFile>& files);
/// Takes these out; the last one takes the record away.
void take_from_record(const HubCache& cache, const HubRepo& repo, const std::string& commit,
                      const std::vector<HubFile>& files);
/// Commits that have a record.
std::vector<std::string> recorded_commits(const HubCache& cache, const HubRepo& repo);

}  // namespace skald
