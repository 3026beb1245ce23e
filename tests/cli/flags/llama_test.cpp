#include "cli/flags/llama.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/flags/flags.h"

namespace skald {
namespace {

void take(std::string_view name, std::string_view value) {
  const LlamaFlag* const flag = find_llama_flag(name);
  ASSERT_NE(flag, nullptr) << name;
  take_llama_flag(*flag, "run", std::string(name), value);
}

TEST(LlamaFlags, HaveEachNameOnce) {
  std::set<std::string_view> names;
  for (const LlamaFlag& flag : llama_flags())
    for (size_t at = 0; at < flag.names.size();) {
      const size_t end = std::min(flag.names.find(',', at), flag.names.size());
      const std::string_view name = flag.names.substr(at, end - at);
      EXPECT_TRUE(name.starts_with('-')) << name;
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(find_llama_flag(name), &flag);
      at = end + 1;
    }
  EXPECT_EQ(find_llama_flag("-n"), nullptr);
  EXPECT_EQ(find_llama_flag(""), nullptr);
}

TEST(LlamaFlags, SayWhyWhereTheyAreNotTaken) {
  for (const LlamaFlag& flag : llama_flags()) EXPECT_EQ(flag.why.empty(), flag.same == "*") << flag.names;
}

TEST(LlamaFlags, AreTakenWhereTheyChangeNothing) {
  for (const auto& [name, value] :
       {std::pair{"-gan", "1.00"}, {"-np", "1"}, {"-cb", ""}, {"-fa", "on"}, {"-fa", ""}, {"-no-cnv", ""}})
    EXPECT_NO_THROW(take(name, value)) << name;
  for (const auto& [name, value] :
       {std::pair{"-gan", "2"}, {"-np", "2"}, {"-cnv", ""}, {"-mu", "https://a/b"}, {"-fa", "perhaps"}})
    EXPECT_THROW(take(name, value), UsageError) << name;
}

}  // namespace
}  // namespace skald
