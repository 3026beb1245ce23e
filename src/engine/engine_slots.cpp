// The last sequences of slots, in files.
#include <utility>

#include "base/error.h"
#include "engine/engine_thread.h"
#include "engine/slot_image.h"
#include "kv/disk/private_folder.h"

namespace skald {
namespace {

constexpr int64_t kMostFileBytes = int64_t{1} << 40;

}  // namespace

PageKey EngineThread::slot_root(const std::string& owner) const {
  if (!slot_files_ || !fingerprint_) fail(Errc::kUnsupported, "slots are saved where cache.slot_files says so");
  return root_key(*fingerprint_, owner);
}

// Runs `work` on the engine's thread and waits for its result.
template <class T>
T EngineThread::on_loop(std::function<void(EngineLoop&, KeptPromise<T>)> work) {
  std::promise<T> made;
  std::future<T> result = made.get_future();
  auto promise = std::make_shared<KeptPromise<T>>(std::move(made));
  if (!inbox_.post(SlotWork([promise, work = std::move(work)](EngineLoop& loop) { work(loop, std::move(*promise)); })))
    fail(Errc::kBusy, "the engine is being destroyed");
  return result.get();
}

SlotFile EngineThread::save_slot(int64_t slot, const std::string& owner, const std::string& folder,
                                 const std::string& name) {
  const PageKey root = slot_root(owner);
  const auto image = on_loop<SlotImage>(
      [&](EngineLoop& loop, KeptPromise<SlotImage> promise) { loop.save_slot(slot, owner, std::move(promise)); });
  const std::vector<std::byte> file = slot_file(image, root);
  const PrivateFolder slots(folder);
  for (const std::string& other : slots.names())
    if (PrivateFolder::unfinished(other)) slots.remove_abandoned(other);
  slots.write(name, {file});
  return {std::ssize(image.tokens), std::ssize(file)};
}

SlotFile EngineThread::restore_slot(int64_t slot, const std::string& owner, const std::string& folder,
                                    const std::string& name) {
  const PageKey root = slot_root(owner);
  const std::optional<std::vector<std::byte>> file = PrivateFolder(folder).read(name, kMostFileBytes);
  if (!file) fail(Errc::kNotFound, "there is no file {} in {}", name, folder);
  SlotImage image = read_slot_file(*file, root);
  for (const TokenId id : image.tokens)
    if (id < 0 || id >= model_->n_vocab()) fail(Errc::kBadFile, "the file has a token that the model has not: {}", id);
  const auto tokens = on_loop<int64_t>([&](EngineLoop& loop, KeptPromise<int64_t> promise) {
    loop.restore_slot(slot, owner, std::move(image), std::move(promise));
  });
  return {tokens, std::ssize(*file)};
}

int64_t EngineThread::erase_slot(int64_t slot, const std::string& owner) {
  slot_root(owner);
  return on_loop<int64_t>(
      [&](EngineLoop& loop, KeptPromise<int64_t> promise) { loop.erase_slot(slot, owner, std::move(promise)); });
}

}  // namespace skald
