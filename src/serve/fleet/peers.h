// Peers: the other servers of a fleet: which answer, how busy they are, and the beginnings of prompts that they have.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "serve/fleet/peer_news.h"
#include "serve/fleet/server_choice.h"

namespace skald::serve {

struct PeersOptions {
  std::vector<std::string> urls = {};            // of servers; this one may be among them
  std::map<std::string, std::string> keys = {};  // the API key of each owner; without keys one empty text of an empty owner
  std::string server = {};                       // this server's word, by which it knows itself
  std::chrono::milliseconds every{2000};
};

/// Asks the others on a thread of its own: no caller waits for one of them.
class Peers {
 public:
  /// Asks a server for a client's news: GET of `url` with the client's key. `look` is called several times a second, and
  /// may throw. Returns the body; throws any exception where there is none of status 200.
  using Ask = std::function<std::string(const std::string& url, const std::string& key, const std::function<void()>& look)>;

  explicit Peers(PeersOptions options, Ask ask = ask_by_http);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Returns the servers that answer, without this one, with the number of the prompt's pages that they have for the
  /// owner. From then on they are asked for this owner, for as long as it comes back every ten minutes.
  std::vector<Candidate> candidates(const std::string& owner, std::span<const PrefixHash> prompt);
  /// Returns the URL under which others know this server; empty: it is not among them.
  std::string own_url() const;

  /// Asks all servers that are due, on the calling thread: for tests, and for its own.
  void ask_all();

  static std::string ask_by_http(const std::string& url, const std::string& key, const std::function<void()>& look);

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    std::string version = {};
    std::unordered_set<PrefixHash> pages = {};
  };
  struct Peer {
    std::string url;
    bool alive = false, own = false;
    ServerLoad load = {};
    std::map<std::string, Known> of_owner = {};
    int fails = 0;  // in a row
    Clock::time_point due = {};
  };

  void run() noexcept;
  void ask_one(size_t i, const std::vector<std::string>& owners);
  void ask_for(size_t i, const std::string& owner);
  void take(Peer& peer, const std::string& owner, PeerNews news);
  void keep(Peer& peer, const std::vector<std::string>& owners);
  void lose(Peer& peer) noexcept;
  std::vector<std::string> owners();
  void check_end() const;

  const PeersOptions o_;
  const Ask ask_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Peer> peers_;
  std::map<std::string, Clock::time_point> wanted_;  // owners, and when they last came
  std::atomic<bool> ended_ = false;
  bool hurry_ = false;  // an owner is new
  std::thread thread_;  // last
};

}  // namespace skald::serve
