#include "stores/s3/s3_table.h"

#include <array>
#include <utility>

#include "kv/disk/record_store.h"
#include "stores/s3/s3_error.h"

namespace skald {
namespace {

constexpr long kNotFound = 404;

bool is_good(const S3Answer& answer) { return answer.status / 100 == 2; }

// Whether it is there. A bucket that is not there is a failure.
bool is_there(const S3Answer& answer) {
  if (is_good(answer)) return true;
  if (answer.status == kNotFound && s3_error_code(answer) != "NoSuchBucket") return false;
  throw StoreDown(Errc::kDevice, s3_error(answer));
}

}  // namespace

S3Table::S3Table(S3Address address, S3Keys keys, RemoteTimes times) : client_(std::move(address), std::move(keys), times) {}

// The answer to HEAD has no body, which would say what is wrong.
void S3Table::reach() { run(S3Request::Method::kGet, std::array{std::string("skald")}); }

RemoteRoom S3Table::room() { return {.how = "a rule of the bucket's lifecycle, where there is one: Skald removes nothing"}; }

// Each answer tells whether the name is there.
std::vector<S3Answer> S3Table::run(S3Request::Method method, std::span<const std::string> names) {
  std::vector<S3Request> requests;
  for (const std::string& name : names) requests.push_back({.method = method, .name = name});
  std::vector<S3Answer> out = client_.run(requests);
  for (const S3Answer& answer : out) is_there(answer);
  return out;
}

std::vector<bool> S3Table::has(std::span<const std::string> names) {
  std::vector<bool> out;
  for (const S3Answer& answer : run(S3Request::Method::kHead, names)) out.push_back(is_good(answer));
  return out;
}

void S3Table::get(std::span<const std::string> names, const Got& got) {
  std::vector<S3Answer> answers = run(S3Request::Method::kGet, names);
  for (size_t i = 0; i < answers.size(); ++i)
    got(i, is_good(answers[i]) ? std::optional(std::move(answers[i].body)) : std::nullopt);
}

RemoteTable::Put S3Table::put(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) {
  if (has(std::array{name})[0]) return Put::kThere;
  const S3Request request{.method = S3Request::Method::kPut, .name = name, .first = first, .second = second};
  const S3Answer answer = client_.run(std::array{request})[0];
  if (!is_good(answer)) throw StoreDown(Errc::kDevice, s3_error(answer));
  return Put::kWritten;
}

void S3Table::remove(std::span<const std::string> names) { run(S3Request::Method::kDelete, names); }

}  // namespace skald
