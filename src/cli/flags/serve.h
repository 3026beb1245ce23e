// Flags of `skald serve` and `skald batch`, and what they say to what answers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/flags/common.h"
#include "cli/flags/ranks.h"
#include "cli/flags/sampling.h"
#include "cli/flags/sparq.h"
#include "cli/flags/store.h"
#include "cli/flags/template.h"
#include "serve/options.h"

namespace skald {

class ServeFlags {
 public:
  /// `command`: whom messages name.
  explicit ServeFlags(std::string_view command);
  void declare(Flags& flags);
  /// Those alone that say something without a network.
  void declare_local(Flags& flags);
  /// Throws UsageError for what is out of range or does not go together; files that flags name are read.
  serve::ServeOptions checked(const Flags& flags) const;
  /// As on_ranks() of flags/ranks.h.
  Action on_ranks(Action action) const { return skald::on_ranks(model_, compute_, std::move(action)); }
  /// Of a file that gets the address once the server listens; empty: none.
  const std::string& address_file() const { return address_file_; }

 private:
  void declare_address(Flags& flags);
  void declare_models(Flags& flags);
  void declare_scheduling(Flags& flags);
  void declare_cache(Flags& flags);
  void declare_clients(Flags& flags);
  void declare_compute(Flags& flags);
  void declare_lora(Flags& flags);
  void declare_safety(Flags& flags);
  void declare_mcp(Flags& flags);
  void declare_fleet(Flags& flags);
  void declare_chats(Flags& flags);
  void declare_sampling(Flags& flags);
  void declare_output(Flags& flags);
  void check_ranges() const;
  void check_prefix_cache() const;
  serve::Role role() const;
  serve::LoraOptions loras() const;
  void set_prefix_cache(const Flags& flags, serve::ServeOptions& out) const;
  int64_t body_total(int64_t max_body) const;
  void want(bool good, const char* flag, const char* what) const;
  std::vector<std::string> keys() const;
  std::vector<serve::McpServer> mcp_servers() const;
  std::vector<std::string> peers() const;
  void check_mcp(const serve::ServeOptions& options) const;
  std::string kwargs() const;

  std::string command_;
  ModelFlags model_;
  ComputeFlags compute_;
  SparqFlags sparq_;
  StoreFlags store_;
  TemplateFlags template_;
  SamplingFlags sampling_;
  serve::ServeOptions o_;
  std::string aliases_, cors_, hosts_, peers_, max_body_ = "16M", max_body_total_, stream_buffer_ = "1M",
                                               prefix_cache_size_ = "4G", state_cache_size_, pooling_,
                                               reasoning_format_ = "auto", role_ = "both";
  std::string api_key_file_, address_file_;
  std::vector<std::string> api_keys_;
  float timeout_ = 600, request_timeout_ = 30, drain_ = 30, max_itl_ = 250, ping_ = 15, peers_every_ = 2;
  int64_t queue_ = 256;
  std::vector<std::string> volatile_, mcp_, mcp_headers_, lora_modules_;
  std::string lora_dir_;
  bool prefix_cache_ = true, no_volatile_ = false, lora_waits_ = false;
};

}  // namespace skald
