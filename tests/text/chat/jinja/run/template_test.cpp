#include "text/chat/jinja/run/template.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "skald/error.h"
#include "tests/support/paths.h"
#include "text/chat/chat_template.h"

namespace skald::jinja_test {
namespace {

using Json = nlohmann::ordered_json;

Json read_json(const std::string& path) { return Json::parse(std::ifstream(path)); }

std::tm time_of(const std::string& text) {
  std::tm out{};
  strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &out);
  out.tm_isdst = -1;
  std::mktime(&out);
  return out;
}

ChatRequest request(const Json& kwargs, const std::string& now = "2026-03-07T09:05:02") {
  ChatRequest out;
  out.messages = Json::parse(R"([{"role": "user", "content": "hi"}])");
  out.kwargs = kwargs;
  out.now = time_of(now);
  return out;
}

// The text, or "error: " and the message.
std::string rendered(const std::string& source, const Json& kwargs = Json::object(), const jinja::Limits& limits = {}) {
  try {
    return ChatTemplate(source, {}, limits).render(request(kwargs)).bytes();
  } catch (const Error& e) {
    return std::string("error: ") + e.what();
  }
}

bool has_all(const std::string& got, const Json& test) {
  if (!got.starts_with("error: ")) return test.value("lenient", false);
  if (test.contains("message") && got.find(test["message"].get<std::string>()) == std::string::npos) return false;
  return !test.contains("line") ||
         std::regex_search(got, std::regex("line " + std::to_string(test["line"].get<int>()) + "\\b"));
}

// The answers are those of jinja2 3.1.6 in transformers' setting.
TEST(JinjaTemplate, RendersLanguageCasesAsJinja2) {
  const Json data = read_json((test::data_dir() / "jinja/cases.json").string());
  Json kwargs = data["vars"];
  kwargs.update(Json{{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}});
  for (const Json& test : data["cases"]) {
    const auto source = test["template"].get<std::string>();
    const std::string got = rendered(source, kwargs);
    if (test.contains("error")) {
      EXPECT_TRUE(has_all(got, test)) << source << "\n" << got;
    } else {
      EXPECT_EQ(got, test["output"].get<std::string>()) << source;
    }
  }
}

std::string unfolded(const Json& pieces) {
  if (pieces.is_string()) return pieces.get<std::string>();
  std::string out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].is_string()) continue;
    const size_t times = i + 1 < pieces.size() && pieces[i + 1].is_number() ? pieces[i + 1].get<size_t>() : 1;
    for (size_t k = 0; k < times; ++k) out += pieces[i].get_ref<const std::string&>();
  }
  return out;
}

TEST(JinjaTemplate, EndsHostileTemplatesByLimits) {
  const Json kwargs = Json::parse(R"({"x": 5, "f": false, "s": "Hello", "ms": [{"role": "user", "n": 1}]})");
  jinja::Limits limits;
  limits.steps = 2'000'000;
  for (const Json& test : read_json((test::data_dir() / "jinja/hostile.json").string())) {
    const std::string got = rendered(unfolded(test["template"]), kwargs, limits);
    const auto expect = test["expect"].get<std::string>(), name = test["name"].get<std::string>();
    const bool error = got.starts_with("error: ");
    EXPECT_LT(error ? got.size() : 0, 5000u) << name;
    if (expect == "error") {
      EXPECT_TRUE(error) << name << ": " << got.substr(0, 80);
    } else if (expect == "nothing") {
      EXPECT_TRUE(error ||
                  !std::regex_search(got, std::regex("<\\w+ |object at|0x[0-9a-f]{6}|root:|uid=|built-in|__\\w+__")))
          << name;
    } else if (expect != "any" && !error) {
      EXPECT_EQ(got, expect) << name;
    }
  }
}

TEST(JinjaTemplate, SaysWhichLimitWasReached) {
  jinja::Limits limits;
  limits.steps = 1000;
  EXPECT_NE(rendered("{% for i in range(5000) %}{% endfor %}", {}, limits).find("1000 steps"), std::string::npos);
  limits = {};
  limits.output = 100;
  EXPECT_NE(rendered("{{ 'x' * 101 }}", {}, limits).find("output"), std::string::npos);
  limits = {};
  limits.memory = 100000;
  EXPECT_NE(rendered("{{ [0] * 100000 }}", {}, limits).find("memory"), std::string::npos);
  EXPECT_NE(rendered("{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}").find("line 1: RecursionError"), std::string::npos);
}

TEST(JinjaTemplate, DropsCircles) {
  EXPECT_EQ(
      rendered("{% set ns = namespace() %}{% set ns.me = [ns] %}{% macro m() %}{{ ns }}{% endmacro %}{% set ns.m = m %}ok"),
      "ok");
}

// Runs of the result with their trust: "t:" of the template, "u:" of others.
std::string runs(const std::string& source, const Json& kwargs) {
  std::string out;
  ChatTemplate(source).render(request(kwargs)).for_each_run([&](std::string_view run, bool trusted) {
    out.append(trusted ? "t:" : "u:").append(run).append("|");
  });
  return out;
}

TEST(JinjaTemplate, KeepsWhoWroteEachByte) {
  const Json kwargs = {{"a", "<b>"}, {"b", "x y"}, {"l", {"p", "q"}}};
  const std::pair<const char*, const char*> cases[] = {
      {"<{{ a }}>", "t:<|u:<b>|t:>|"},
      {"{{ '<' + a ~ '>' }}", "t:<|u:<b>|t:>|"},
      {"{{ ('<' + a + '>')[1:-1] }}", "u:<b>|"},
      {"{{ ('<' + a + '>')[::-1] }}", "t:>|u:>b<|t:<|"},
      {"{{ (' ' + b + ' ').strip() }}", "u:x y|"},
      {"{{ (b + ' z').split()[2] }}{{ (b + ' z').split()[0] }}", "t:z|u:x|"},
      {"{{ '-'.join(l) }}{{ l | join('+') }}", "u:p|t:-|u:qp|t:+|u:q|"},
      {"{{ 'a_b'.replace('_', a) }}{{ a.replace('b', '!') }}", "t:a|u:<b>|t:b|u:<|t:!|u:>|"},
      {"{{ 'A' | lower }}{{ ('A' + a) | lower }}", "t:a|u:a<b>|"},
      {"{{ [a, 1] }}{{ [1] }}{{ {'k': a} | tojson }}", "u:['<b>', 1]|t:[1]|u:{\"k\": \"<b>\"}|"},
      {"{% set v %}<{{ a }}{% endset %}{{ v }}{% macro m(z) %}({{ z }}){% endmacro %}{{ m(a) }}",
       "t:<|u:<b>|t:(|u:<b>|t:)|"},
      {"{{ messages[0].role }}{{ messages[0].content }}", "t:user|u:hi|"},
  };
  for (const auto& [source, want] : cases) EXPECT_EQ(runs(source, kwargs), want) << source;
}

TEST(JinjaTemplate, OthersTemplatesGiveWhatTransformersGives) {
  const auto folder = test::shared_dir() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Json data = read_json(entry.path().string());
    std::filesystem::path path = entry.path();
    std::ifstream file(path.replace_extension(".jinja"), std::ios::binary);
    const ChatTemplate chat(std::string(std::istreambuf_iterator<char>(file), {}));
    for (const auto& [name, test] : data["cases"].items()) {
      if (test["output"].is_null()) continue;
      ChatRequest r;
      r.now = time_of(data["now"].get<std::string>());
      r.kwargs = Json::object();
      for (const auto& [key, value] : data.items())
        if (key.ends_with("_token")) r.kwargs[key] = value;
      for (const auto& [key, value] : test["input"].items()) {
        if (key == "messages")
          r.messages = value;
        else if (key == "tools")
          r.tools = value;
        else if (key == "documents")
          r.documents = value;
        else if (key == "add_generation_prompt")
          r.add_generation_prompt = value.get<bool>();
        else
          r.kwargs[key] = value;
      }
      EXPECT_EQ(chat.render(r).bytes(), test["output"].get<std::string>()) << path << " " << name;
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace skald::jinja_test
