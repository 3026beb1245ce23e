#include "comm/mpi/library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

constexpr int kTag = 63;

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

// The launcher's own library first: another one would find no other ranks.
std::vector<const char*> candidates() {
  if (const char* named = std::getenv("SKALD_MPI")) return {named};
  std::vector<const char*> out = {"libmpi.so.40", "libmpi.so.80"};  // Open MPI 4 and 5
  const std::vector<const char*> mpich = {"libmpich.so.12", "libmpi.so.12"};
  out.insert(is_set("OMPI_COMM_WORLD_SIZE") ? out.end() : out.begin(), mpich.begin(), mpich.end());
  out.push_back("libmpi_abi.so.0");
  return out;
}

std::string joined(const std::vector<const char*>& names) {
  std::string out;
  for (const char* name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

}  // namespace

MpiLibrary::MpiLibrary() {
  const std::vector<const char*> names = candidates();
  for (const char* name : names)
    if (library_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL); library_) break;  // Open MPI's parts look for its symbols
  if (!library_)
    fail(Errc::kUnsupported,
         "ranks want an MPI library, and none of {} is there: install Open MPI or MPICH, or name one in SKALD_MPI",
         joined(names));
  bind_calls();
  bind_handles();
}

void MpiLibrary::bind_calls() {
  const auto bind = [this](auto& to, const char* name) {
    void* const symbol = dlsym(library_, name);
    if (!symbol) fail(Errc::kUnsupported, "the MPI library has no {}", name);
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(symbol);
  };
  bind(calls_.init_thread, "MPI_Init_thread");
  bind(calls_.finalize, "MPI_Finalize");
  bind(calls_.comm_rank, "MPI_Comm_rank");
  bind(calls_.comm_size, "MPI_Comm_size");
  bind(calls_.get_processor_name, "MPI_Get_processor_name");
  bind(calls_.get_library_version, "MPI_Get_library_version");
  bind(calls_.isend, "MPI_Isend");
  bind(calls_.irecv, "MPI_Irecv");
  bind(calls_.test, "MPI_Test");
  bind(calls_.abort, "MPI_Abort");
  bind(calls_.error_string, "MPI_Error_string");
}

// Open MPI's handles are addresses of its objects, MPICH's are numbers, and the standard ABI (MPI 5.0, chapter 20) has
// others.
void MpiLibrary::bind_handles() {
  if (void* const world = dlsym(library_, "ompi_mpi_comm_world")) {
    world_ = reinterpret_cast<Handle>(world);
    byte_ = reinterpret_cast<Handle>(dlsym(library_, "ompi_mpi_byte"));
    no_status_ = nullptr;
  } else if (dlsym(library_, "MPI_Abi_get_version")) {
    world_ = 0x101;
    byte_ = 0x247;
    no_status_ = nullptr;
    serialized_ = 2048;
  } else {
    world_ = 0x44000000;
    byte_ = 0x4c00010d;
    no_status_ = reinterpret_cast<void*>(1);
  }
}

void MpiLibrary::want(int code, const char* call) const {
  if (code == 0) return;
  std::array<char, 8192> text = {};
  int n = 0;
  if (calls_.error_string(code, text.data(), &n) != 0) n = 0;
  fail(Errc::kDevice, "{}: {}", call,
       n > 0 ? std::string(text.data(), static_cast<size_t>(n)) : fmt::format("error {}", code));
}

std::string MpiLibrary::version() const {
  std::array<char, 8192> text = {};
  int n = 0;
  want(calls_.get_library_version(text.data(), &n), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<size_t>(n));
  return all.substr(0, all.find_first_of(",\n"));
}

void MpiLibrary::init() {
  int provided = 0;
  want(calls_.init_thread(nullptr, nullptr, serialized_, &provided), "MPI_Init_thread");
  if (provided < serialized_) fail(Errc::kUnsupported, "{} cannot be called from several threads in turn", version());
}

void MpiLibrary::finalize() { want(calls_.finalize(), "MPI_Finalize"); }

int MpiLibrary::rank() const {
  int out = 0;
  want(calls_.comm_rank(world_, &out), "MPI_Comm_rank");
  return out;
}

int MpiLibrary::size() const {
  int out = 0;
  want(calls_.comm_size(world_, &out), "MPI_Comm_size");
  return out;
}

std::string MpiLibrary::processor_name() const {
  std::array<char, 1024> text = {};
  int n = 0;
  want(calls_.get_processor_name(text.data(), &n), "MPI_Get_processor_name");
  return {text.data(), static_cast<size_t>(n)};
}

MpiLibrary::Handle MpiLibrary::send(const void* bytes, int64_t n, int to) const {
  SKALD_ASSERT(n <= kMostBytes);
  Handle request = 0;
  want(calls_.isend(bytes, static_cast<int>(n), byte_, to, kTag, world_, &request), "MPI_Isend");
  return request;
}

MpiLibrary::Handle MpiLibrary::receive(void* bytes, int64_t n, int from) const {
  SKALD_ASSERT(n <= kMostBytes);
  Handle request = 0;
  want(calls_.irecv(bytes, static_cast<int>(n), byte_, from, kTag, world_, &request), "MPI_Irecv");
  return request;
}

bool MpiLibrary::test(Handle& request) const {
  int done = 0;
  want(calls_.test(&request, &done, no_status_), "MPI_Test");
  return done != 0;
}

void MpiLibrary::abort(int code) const { calls_.abort(world_, code); }

}  // namespace skald
