#include "tools/eval/answer_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/json.h"

namespace skald {
namespace {

EvalAnswer answer_of(const nlohmann::json& line) {
  EvalAnswer out{.seconds = line.at("seconds").get<double>(),
                 .tokens = line.at("tokens").get<int64_t>(),
                 .bytes = line.at("bytes").get<double>()};
  if (line.contains("score"))
    out.score = line["score"].get<double>();
  else
    out.prediction = {line.at("loss").get<double>(), line.at("divergence").get<double>()};
  return out;
}

nlohmann::ordered_json line_of(const std::string& key, const EvalAnswer& answer) {
  nlohmann::ordered_json out{{"key", key}};
  if (answer.prediction) {
    out["loss"] = answer.prediction->loss;
    out["divergence"] = answer.prediction->divergence;
  } else {
    out["score"] = answer.score;
  }
  out["seconds"] = answer.seconds;
  out["tokens"] = answer.tokens;
  out["bytes"] = answer.bytes;
  return out;
}

}  // namespace

AnswerFile::AnswerFile(const std::string& path, const std::string& header) : path_(path) {
  if (path.empty()) return;
  const bool there = std::filesystem::exists(path);
  if (there) read(header);
  out_.open(path, std::ios::app);
  if (!out_) fail(Errc::kNotFound, "{}: cannot be written", path);
  if (!there) write(nlohmann::ordered_json{{"answers_of", header}}.dump());
}

void AnswerFile::read(const std::string& header) {
  std::ifstream in(path_);
  std::string line;
  bool first = true;
  int64_t whole = 0;  // bytes of complete lines
  while (std::getline(in, line) && !in.eof()) {
    try {
      const nlohmann::json json = parse_json(line);
      if (!first)
        answers_[json.at("key").get<std::string>()] = answer_of(json);
      else if (const auto of = json.at("answers_of").get<std::string>(); of != header)
        fail(Errc::kBadInput, "{}: has answers of {}, not of {}", path_, of, header);
    } catch (const nlohmann::json::exception&) {
      fail(Errc::kBadFile, "{}: is no file of answers", path_);
    }
    first = false;
    whole += std::ssize(line) + 1;
  }
  if (first) fail(Errc::kBadFile, "{}: is no file of answers", path_);
  in.close();
  std::filesystem::resize_file(path_, static_cast<uintmax_t>(whole));
}

void AnswerFile::write(const std::string& line) {
  out_ << line << '\n' << std::flush;
  if (!out_) fail(Errc::kDevice, "{}: cannot be written", path_);
}

const EvalAnswer* AnswerFile::find(const std::string& key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? nullptr : &found->second;
}

void AnswerFile::add(const std::string& key, const EvalAnswer& answer) {
  answers_[key] = answer;
  if (out_.is_open()) write(line_of(key, answer).dump());
}

}  // namespace skald
