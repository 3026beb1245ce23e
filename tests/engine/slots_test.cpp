// What a place ran last, saved to a file, restored and erased.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "engine/slot_image.h"
#include "skald/engine.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::slots_test {
namespace {

EngineOptions options() {
  EngineOptions o{.device = {.n_threads = 1}, .cache = {.n_ctx = 256}, .schedule = {.n_parallel = 2}};
  o.cache.share_prefixes = o.cache.slot_files = true;
  return o;
}

Request request(const std::string& scope = "me:") {
  Request r{.prompt = std::vector<TokenId>(130, 7), .max_tokens = 3, .ignore_eos = true, .scope = scope};
  for (size_t i = 0; i < r.prompt.size(); ++i) r.prompt[i] = static_cast<TokenId>(5 + i);
  r.sampling.temperature = 0;
  return r;
}

// What a place tells when the engine has said so: it does at the end of a step, after results.
EngineStatus status_with(const Engine& engine, size_t slot, int64_t n_prompt) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  EngineStatus s = engine.status();
  while ((s.running > 0 || s.slots[slot].n_prompt != n_prompt) && std::chrono::steady_clock::now() < end)
    s = engine.status();
  return s;
}

Errc code_of(const std::function<void()>& f) { return test::error_of(f).code(); }

class Slots : public testing::Test {
 protected:
  std::string folder() const { return dir_.path("slots"); }
  void edit(const std::string& name, const std::function<void(std::string&)>& change) {
    std::ifstream in(folder() + "/a", std::ios::binary);
    std::string content((std::istreambuf_iterator<char>(in)), {});
    change(content);
    dir_.write("slots/" + name, content);
  }

  test::TempDir dir_;
  Model model_ = Model::embedded();
  Engine engine_{model_, options()};
};

TEST_F(Slots, RememberWhatTheyRanLast) {
  engine_.generate(request());
  const EngineStatus::Slot slot = status_with(engine_, 0, 130).slots[0];
  EXPECT_EQ(slot.state, EngineStatus::Slot::State::kIdle);
  EXPECT_EQ(slot.request, 0);
  EXPECT_EQ(slot.n_prompt, 130);
  EXPECT_EQ(slot.n_decoded, 3);
  EXPECT_EQ(engine_.status().slots[1].n_prompt, 0);
}

TEST_F(Slots, AreOfThoseWhoRanThem) {
  engine_.generate(request("me:salt"));
  EXPECT_EQ(engine_.save_slot(0, "me:", folder(), "a").tokens, 133);
  EXPECT_EQ(code_of([&] { engine_.save_slot(0, "you:", folder(), "b"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.save_slot(1, "me:", folder(), "b"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.save_slot(7, "me:", folder(), "b"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.save_slot(-1, "me:", folder(), "b"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.erase_slot(0, "you:"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.restore_slot(0, "you:", folder(), "a"); }), Errc::kBadFile) << "saved for another";
  EXPECT_EQ(code_of([&] { engine_.restore_slot(1, "me:", folder(), "none"); }), Errc::kNotFound);
  EXPECT_EQ(code_of([&] { engine_.restore_slot(9, "me:", folder(), "a"); }), Errc::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/b"));
}

TEST_F(Slots, RestoredOnesAreSharedInTheirScope) {
  engine_.generate(request("me:salt"));
  engine_.save_slot(0, "me:", folder(), "a");
  Engine other(model_, options());
  EXPECT_EQ(other.restore_slot(1, "me:", folder(), "a").tokens, 133);
  EXPECT_EQ(status_with(other, 1, 133).slots[1].n_prompt, 133);
  EXPECT_EQ(other.generate(request("me:salt")).timing.n_cached, 128);
  EXPECT_EQ(other.generate(request("me:")).timing.n_cached, 0);
  EXPECT_EQ(other.save_slot(1, "me:", folder(), "b").tokens, 133);
}

TEST_F(Slots, ErasedOnesAreForgotten) {
  engine_.generate(request());
  EXPECT_EQ(engine_.erase_slot(0, "me:"), 133);
  const EngineStatus status = status_with(engine_, 0, 0);
  EXPECT_EQ(status.slots[0].n_prompt, 0);
  EXPECT_EQ(status.pages.cached, 0);
  EXPECT_EQ(engine_.generate(request()).timing.n_cached, 0);
  EXPECT_EQ(engine_.erase_slot(0, "me:"), 133);
  EXPECT_EQ(code_of([&] { engine_.erase_slot(0, "me:"); }), Errc::kNotFound);
}

TEST_F(Slots, DamagedAndForeignFilesAreRefused) {
  engine_.generate(request());
  engine_.save_slot(0, "me:", folder(), "a");
  edit("cut", [](std::string& s) { s.resize(s.size() / 2); });
  edit("flip", [](std::string& s) { s[s.size() - 9] ^= 1; });
  edit("text", [](std::string& s) { s = "hello"; });
  edit("empty", [](std::string& s) { s.clear(); });
  edit("long", [](std::string& s) { s += s; });
  for (const char* name : {"cut", "flip", "text", "empty", "long"})
    EXPECT_EQ(code_of([&] { engine_.restore_slot(1, "me:", folder(), name); }), Errc::kBadFile) << name;
  EngineOptions o = options();
  o.cache.type_k = "q8_0";
  Engine other(model_, o);
  EXPECT_EQ(code_of([&] { other.restore_slot(0, "me:", folder(), "a"); }), Errc::kBadFile) << "other options";
  EXPECT_EQ(status_with(engine_, 0, 130).slots[0].n_prompt, 130);
}

TEST_F(Slots, NeedTheirOption) {
  EngineOptions o = options();
  o.cache.slot_files = false;
  Engine other(model_, o);
  other.generate(request());
  EXPECT_EQ(code_of([&] { other.save_slot(0, "me:", folder(), "a"); }), Errc::kUnsupported);
}

// A checksum that fits says nothing about who wrote the file.
TEST(SlotImage, MadeUpFilesAreRefused) {
  const PageKey root = root_key({}, "me:");
  const SlotImage image{.scope = "s",
                        .tokens = std::vector<TokenId>(130, 1),
                        .records = {{{0, {}}, std::vector<std::byte>(10)}, {{1, {}}, std::vector<std::byte>(20)}}};
  const SlotImage back = read_slot_file(slot_file(image, root), root);
  EXPECT_EQ(back.scope, image.scope);
  EXPECT_EQ(back.tokens, image.tokens);
  ASSERT_EQ(back.records.size(), 2u);
  EXPECT_EQ(back.records[1].piece, image.records[1].piece);
  EXPECT_EQ(back.n_pages(), 2);
  SlotImage beyond = image;
  beyond.records[1].piece.page = 2;
  EXPECT_EQ(code_of([&] { read_slot_file(slot_file(beyond, root), root); }), Errc::kBadFile) << "130 tokens have two pages";
  std::vector<std::byte> file = slot_file(image, root), longer(file.begin(), file.end() - 32);
  longer.push_back({});
  const Sha256Sum of_longer = sha256({longer});
  longer.insert(longer.end(), of_longer.begin(), of_longer.end());
  EXPECT_EQ(code_of([&] { read_slot_file(longer, root); }), Errc::kBadFile);
  for (size_t at = 40; at + 32 < file.size(); ++at) {
    std::vector<std::byte> changed = file;
    changed[at] = std::byte{0xff};
    changed.resize(changed.size() - 32);
    const Sha256Sum sum = sha256({changed});
    changed.insert(changed.end(), sum.begin(), sum.end());
    try {
      read_slot_file(changed, root);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::kBadFile);
    }
  }
}

}  // namespace
}  // namespace skald::slots_test
