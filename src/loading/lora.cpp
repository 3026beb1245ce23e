#include "skald/lora.h"

#include "loading/load_adapter.h"
#include "loading/loaded_lora.h"

namespace skald {

std::shared_ptr<const LoadedLora> load_lora(const std::shared_ptr<const LoadedModel>& model, const std::string& path) {
  auto adapter = load_adapter(*model, path);
  const Sha256Sum sum = adapter->sum();
  return std::make_shared<const LoadedLora>(LoadedLora{model, std::move(adapter), sum});
}

Lora Lora::load(const Model& model, const std::string& path) { return Lora(load_lora(model.loaded(), path)); }

const std::string& Lora::name() const { return loaded_->adapter->name; }
const std::string& Lora::path() const { return loaded_->adapter->path; }
const std::string& Lora::base() const { return loaded_->adapter->base; }
const std::string& Lora::task() const { return loaded_->adapter->task; }
const std::string& Lora::prompt_prefix() const { return loaded_->adapter->prefix; }
const std::vector<TokenId>& Lora::invocation() const { return loaded_->adapter->invocation; }
int64_t Lora::rank() const { return loaded_->adapter->most_rank(); }
int64_t Lora::bytes() const { return loaded_->adapter->bytes(); }

}  // namespace skald
