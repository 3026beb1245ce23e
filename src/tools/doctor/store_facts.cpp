#include "tools/doctor/store_facts.h"

#include <chrono>

#include "io/printable.h"

namespace skald {

StoreFacts store_facts(const RemoteStoreOptions& options) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<RemoteTable> table = open_table(options);
  StoreFacts out{.kind = table->kind(), .label = table->label()};
  try {
    table->reach();
    const Clock::time_point begin = Clock::now();
    table->has(std::array{std::string("skald")});
    out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const RemoteRoom room = table->room();
    out.bounded = room.bounded;
    out.limit = room.how;
    out.used = room.used;
  } catch (const StoreDown& e) {
    out.error = printable(e.what());
  }
  return out;
}

}  // namespace skald
