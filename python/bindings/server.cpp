#include "server.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/flags/serve_words.h"
#include "serve/server.h"

namespace nb = nanobind;

namespace skald::python {
namespace {

// A program's stderr is not the place for a line for each request.
serve::ServeOptions quiet(serve::ServeOptions options) {
  options.log_requests = false;
  return options;
}

class Server {
 public:
  explicit Server(std::vector<std::string> words)
      : server_(quiet(serve_options(ServeWords::kServer, std::move(words)))) {
    thread_ = std::thread([this] {
      try {
        server_.run();
      } catch (...) {
        failed_ = std::current_exception();
      }
      over_ = true;
    });
  }
  ~Server() {
    if (!thread_.joinable()) return;
    server_.stop();
    close();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string address() const { return server_.address(); }
  /// Throws the error that ended it.
  bool is_ready() {
    if (over_) join();
    return server_.is_ready();
  }
  /// Waits until running requests have ended, or their time is over.
  void close() {
    if (!thread_.joinable()) return;
    server_.stop();
    join();
  }

 private:
  void join() {
    {
      const nb::gil_scoped_release release;
      if (thread_.joinable()) thread_.join();
    }
    if (std::exception_ptr failed = std::exchange(failed_, nullptr)) std::rethrow_exception(failed);
  }

  serve::Server server_;
  std::exception_ptr failed_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace

void bind_server(nb::module_& m) {
  nb::class_<Server>(m, "Server")
      .def(nb::init<std::vector<std::string>>(), nb::arg("words"))
      .def_prop_ro("address", &Server::address)
      .def("is_ready", &Server::is_ready)
      .def("close", &Server::close);
}

}  // namespace skald::python
