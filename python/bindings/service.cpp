#include "service.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "cli/flags/serve_words.h"
#include "errors.h"
#include "serve/local/local_call.h"
#include "serve/local/local_service.h"
#include "serve/models/served_model.h"
#include "serve/run/answer.h"
#include "tools/measure/logits.h"

namespace nb = nanobind;

namespace skald::python {
namespace {

constexpr std::chrono::milliseconds kAskEvery{50};  // how often Python hears of signals while a call waits

class Service {
 public:
  explicit Service(std::vector<std::string> words)
      : local_(std::make_unique<serve::LocalService>(
            serve_options(ServeWords::kLocal, std::move(words)),
            [this](const std::exception_ptr& error) { error ? loaded_.set_exception(error) : loaded_.set_value(); })) {
    wait_for_model();
    model_ = local_->service().models().get("");
  }
  ~Service() { close(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void close() {
    const nb::gil_scoped_release release;
    model_.reset();
    local_.reset();
  }
  serve::LocalService& local() const {
    if (!local_) throw Error(Errc::kBadInput, "the model is closed");
    return *local_;
  }
  serve::ServedModel& model() const {
    local();
    return *model_;
  }

 private:
  void wait_for_model() {
    std::future<void> loaded = loaded_.get_future();
    for (auto state = std::future_status::timeout; state != std::future_status::ready; check_signals()) {
      const nb::gil_scoped_release release;
      state = loaded.wait_for(kAskEvery);
    }
    loaded.get();
  }

  std::promise<void> loaded_;
  std::unique_ptr<serve::LocalService> local_;
  serve::Lease model_;
};

class Call {
 public:
  Call(const Service& service, std::string method, std::string path, const nb::bytes& body)
      : call_(service.local(), {.method = std::move(method),
                                .path = std::move(path),
                                .body = std::string(body.c_str(), body.size()),
                                .id = serve::random_id(),
                                .peer = "python",
                                .arrived = serve::HttpClock::now()}) {}

  int status() {
    while (!call_.head()) wait();
    return call_.head()->status;
  }
  nb::dict headers() {
    status();
    const serve::HttpAnswer head = *call_.head();
    nb::dict out;
    for (const auto& [name, value] : head.headers) out[nb::str(name.c_str())] = nb::str(value.c_str());
    return out;
  }
  nb::object poll() {
    if (!call_.head()) return nb::none();
    const std::string bytes = call_.take();
    if (bytes.empty() && !call_.over()) return nb::none();
    return nb::bytes(bytes.data(), bytes.size());
  }
  nb::object read() {
    for (;;) {
      if (nb::object bytes = poll(); !bytes.is_none()) return bytes;
      wait();
    }
  }
  int descriptor() const { return call_.descriptor(); }
  void leave() { call_.leave(); }

 private:
  void wait() {
    {
      const nb::gil_scoped_release release;
      call_.wait(kAskEvery);
    }
    check_signals();
  }

  serve::LocalCall call_;
};

using Logits = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

Logits logits(const Service& service, const std::vector<TokenId>& ids, bool exact) {
  if (ids.empty()) throw Error(Errc::kBadInput, "want at least one token id");
  const Model& model = service.model().model();
  EngineOptions options = service.model().options().engine;
  options.cache.share_prefixes = false;
  options.prefix_store = nullptr;
  options.draft = {};
  if (exact && options.device.device == "cpu") {
    options.device.exact = true;
    options.device.repack = false;  // no second copy of the weights for it
  }
  auto values = std::make_unique<std::vector<float>>();
  {
    const nb::gil_scoped_release release;
    *values = compute_logits(*model.loaded(), options, ids, /*decode_from=*/-1);
  }
  float* const data = values->data();
  const nb::capsule owner(values.release(), [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
  return Logits(data, {ids.size(), static_cast<size_t>(model.n_vocab())}, owner);
}

std::vector<TokenId> tokenize(const Service& service, const std::string& text, bool add_special, bool parse_special) {
  const Model& model = service.model().model();
  const nb::gil_scoped_release release;
  return model.tokenize(text, {.add_special = add_special, .parse_special = parse_special});
}

// Bytes: the text of some tokens ends within a character.
nb::bytes detokenize(const Service& service, const std::vector<TokenId>& ids, bool special) {
  const std::string text = service.model().model().detokenize(ids, special);
  return nb::bytes(text.data(), text.size());
}

nb::dict describe(const Service& service) {
  serve::ServedModel& served = service.model();
  const Model& model = served.model();
  nb::dict out;
  out["id"] = served.id();
  out["name"] = model.name();
  out["architecture"] = model.architecture();
  out["n_vocab"] = model.n_vocab();
  out["n_ctx_train"] = model.n_ctx_train();
  out["n_ctx"] = served.n_ctx();
  out["writes"] = served.writes();
  return out;
}

}  // namespace

void bind_service(nb::module_& m) {
  nb::class_<Service>(m, "Service")
      .def(nb::init<std::vector<std::string>>(), nb::arg("words"))
      .def("close", &Service::close)
      .def("describe", &describe)
      .def("tokenize", &tokenize, nb::arg("text"), nb::arg("add_special"), nb::arg("parse_special"))
      .def("detokenize", &detokenize, nb::arg("ids"), nb::arg("special"))
      .def("logits", &logits, nb::arg("ids"), nb::arg("exact"));
  nb::class_<Call>(m, "Call")
      .def(nb::init<const Service&, std::string, std::string, nb::bytes>(), nb::arg("service"), nb::arg("method"),
           nb::arg("path"), nb::arg("body"), nb::keep_alive<1, 2>())
      .def_prop_ro("status", &Call::status)
      .def_prop_ro("headers", &Call::headers)
      .def("read", &Call::read)
      .def("poll", &Call::poll)
      .def("fileno", &Call::descriptor)
      .def("leave", &Call::leave);
}

}  // namespace skald::python
