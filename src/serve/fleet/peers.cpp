#include "serve/fleet/peers.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/log.h"
#include "hub/http.h"
#include "hub/url.h"

namespace skald::serve {
namespace {

constexpr std::chrono::minutes kWantedFor{10};
constexpr size_t kMostOwners = 256;  // that the others are asked for
constexpr std::chrono::seconds kLongestPause{30};
constexpr HttpTimeouts kTimeouts{.connect = 2, .stalled = 5};

}  // namespace

std::string Peers::ask_by_http(const std::string& url, const std::string& key, const std::function<void()>& look) {
  HttpClient client(look, kTimeouts);
  HttpCall call{.method = "GET", .url = url};
  if (!key.empty()) call.headers.push_back("Authorization: Bearer " + key);
  std::string body;
  client.call(
      call,
      [](const skald::HttpAnswer& answer) {
        if (answer.status != 200) fail(Errc::kDevice, "it answers with status {}", answer.status);
      },
      [&](std::span<const std::byte> bytes) {
        if (std::ssize(body) + std::ssize(bytes) > PeerNews::kMostBytes) fail(Errc::kBadFile, "its answer is too long");
        body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
  return body;
}

Peers::Peers(PeersOptions options, Ask ask) : o_(std::move(options)), ask_(std::move(ask)) {
  for (const std::string& url : o_.urls) peers_.push_back({.url = url});
  if (o_.every.count() > 0) thread_ = std::thread([this] { run(); });
}

Peers::~Peers() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Peers::run() noexcept {
  while (!ended_) {
    guarded("serve: peers", [this] { ask_all(); });
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, o_.every, [this] { return ended_ || hurry_; });
    hurry_ = false;
  }
}

std::vector<Candidate> Peers::candidates(const std::string& owner, std::span<const PrefixHash> prompt) {
  std::vector<Candidate> out;
  const std::lock_guard lock(mutex_);
  if (o_.keys.contains(owner)) {
    hurry_ = hurry_ || !wanted_.contains(owner);
    wanted_[owner] = Clock::now();
  }
  if (hurry_) wake_.notify_all();
  for (const Peer& peer : peers_) {
    if (!peer.alive || peer.own) continue;
    Candidate& one = out.emplace_back(Candidate{.url = peer.url, .ahead = peer.load.ahead()});
    const auto known = peer.of_owner.find(owner);
    if (known == peer.of_owner.end()) continue;
    const auto has = [&](PrefixHash hash) { return known->second.pages.contains(hash); };
    one.pages = prompt.rend() - std::find_if(prompt.rbegin(), prompt.rend(), has);
  }
  return out;
}

std::string Peers::own_url() const {
  const std::lock_guard lock(mutex_);
  const auto own = std::ranges::find(peers_, true, &Peer::own);
  return own == peers_.end() ? "" : own->url;
}

// Those that came lately; one at least, so that it is known who is alive.
std::vector<std::string> Peers::owners() {
  const std::lock_guard lock(mutex_);
  std::erase_if(wanted_, [](const auto& one) { return Clock::now() - one.second > kWantedFor; });
  std::vector<std::string> out;
  for (const auto& [owner, when] : wanted_)
    if (out.size() < kMostOwners) out.push_back(owner);
  if (out.empty() && !o_.keys.empty()) out.push_back(o_.keys.begin()->first);
  return out;
}

void Peers::ask_all() {
  const std::vector<std::string> owners = this->owners();
  for (size_t i = 0; i < peers_.size(); ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (peers_[i].due > Clock::now()) continue;
    }
    ask_one(i, owners);
  }
}

// A server that does not answer is asked less and less often.
void Peers::ask_one(size_t i, const std::vector<std::string>& owners) {
  try {
    for (const std::string& owner : owners) ask_for(i, owner);
    const std::lock_guard lock(mutex_);
    keep(peers_[i], owners);
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[i];
    constexpr int kSurely = 2;  // fails: servers begin at different times
    if (peer.alive || peer.fails == kSurely)
      log(LogLevel::kWarn, "serve: the peer {} does not answer: {}", peer.url, e.what());
    lose(peer);
  }
}

void Peers::check_end() const {
  if (ended_) fail(Errc::kBusy, "the server is being stopped");
}

void Peers::ask_for(size_t i, const std::string& owner) {
  check_end();
  std::string url;
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[i];
    url = peer.url + "/prefixes";
    const std::string& since = peer.of_owner[owner].version;
    if (!since.empty()) url += "?since=" + percent_encoded(since, false);
  }
  PeerNews news = read_news(ask_(url, o_.keys.at(owner), [this] { check_end(); }));
  const std::lock_guard lock(mutex_);
  take(peers_[i], owner, std::move(news));
}

void Peers::take(Peer& peer, const std::string& owner, PeerNews news) {
  peer.own = news.server == o_.server;
  peer.load = news.load;
  Known& known = peer.of_owner[owner];
  known.version = std::move(news.version);
  if (news.pages) known.pages = {news.pages->begin(), news.pages->end()};
}

void Peers::keep(Peer& peer, const std::vector<std::string>& owners) {
  std::erase_if(peer.of_owner, [&](const auto& one) { return std::ranges::find(owners, one.first) == owners.end(); });
  peer.fails = 0;
  if (std::exchange(peer.alive, true) || peer.own) return;
  log(LogLevel::kInfo, "serve: the peer {} answers", peer.url);
}

void Peers::lose(Peer& peer) noexcept {
  peer.alive = false;
  peer.of_owner.clear();
  constexpr int kMostDoublings = 8;
  const auto pause = o_.every * (1 << std::min(peer.fails++, kMostDoublings));
  peer.due = Clock::now() + std::min<std::chrono::milliseconds>(pause, kLongestPause);
}

}  // namespace skald::serve
