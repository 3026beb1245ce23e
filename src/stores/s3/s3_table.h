// S3Table: bytes by name in a bucket of S3, or of a server that speaks its language.
#pragma once

#include "stores/remote_table.h"
#include "stores/s3/s3_client.h"

namespace skald {

/// A bucket has no size and knows no uses: a rule of its lifecycle removes what is old.
class S3Table final : public RemoteTable {
 public:
  explicit S3Table(S3Address address, S3Keys keys, RemoteTimes times);

  std::string kind() const override { return "s3"; }
  std::string label() const override { return client_.address().label; }
  int64_t most_bytes() const override { return int64_t{1} << 30; }
  std::chrono::seconds use_every() const override { return std::chrono::minutes(10); }

  void reach() override;
  RemoteRoom room() override;
  std::vector<bool> has(std::span<const std::string> names) override;
  void get(std::span<const std::string> names, const Got& got) override;
  Put put(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) override;
  void remove(std::span<const std::string> names) override;
  /// Asks whether they are there: their age stays.
  std::vector<bool> touch(std::span<const std::string> names) override { return has(names); }

 private:
  std::vector<S3Answer> run(S3Request::Method method, std::span<const std::string> names);

  S3Client client_;
};

}  // namespace skald
