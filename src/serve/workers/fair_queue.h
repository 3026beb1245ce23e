// FairQueue: things that wait, of which each client's are taken in turn with the others', and each client's own in their
// order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <string>
#include <utility>

namespace skald::serve {

template <class T>
class FairQueue {
 public:
  /// Where this throws nothing has changed.
  void add(const std::string& client, T what) {
    auto place = std::ranges::find(clients_, client, &Line::client);
    std::list<Line> added;
    if (place == clients_.end()) place = added.insert(added.end(), Line{client, {}});
    place->waiting.push_back(std::move(what));
    clients_.splice(clients_.end(), added);
    ++size_;
  }
  /// Not of none.
  T take() {
    Line& line = clients_.front();
    T out = std::move(line.waiting.front());
    line.waiting.pop_front();
    --size_;
    if (line.waiting.empty())
      clients_.pop_front();
    else
      clients_.splice(clients_.end(), clients_, clients_.begin());
    return out;
  }
  const T& next() const { return clients_.front().waiting.front(); }
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

 private:
  struct Line {
    std::string client;
    std::deque<T> waiting;
  };
  std::list<Line> clients_;  // those for whom something waits, the next one first
  size_t size_ = 0;
};

}  // namespace skald::serve
