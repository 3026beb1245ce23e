// MpiLibrary: the functions of an MPI library that is loaded when it is wanted: Open MPI, MPICH and those that are built
// like it, or a library with the standard ABI. MPI: A Message-Passing Interface Standard, versions 3.1 and 5.0.
#pragma once

#include <cstdint>
#include <string>

namespace skald {

class MpiLibrary {
 public:
  /// A communicator, type or request as a register holds it: a pointer, or an int.
  using Handle = uintptr_t;

  /// Loads the library whose launcher started this process, else the first one that is there. Throws kUnsupported naming
  /// those that were looked for.
  MpiLibrary();
  MpiLibrary(const MpiLibrary&) = delete;
  MpiLibrary& operator=(const MpiLibrary&) = delete;

  /// Returns what the library calls itself, in a line.
  std::string version() const;

  // Each throws kDevice with the library's message.
  void init();
  void finalize();
  int rank() const;
  int size() const;
  /// Returns the name of this machine.
  std::string processor_name() const;
  Handle send(const void* bytes, int64_t n, int to) const;
  Handle receive(void* bytes, int64_t n, int from) const;
  /// Whether the request is done, which then is gone.
  bool test(Handle& request) const;
  /// Ends all processes of the job.
  void abort(int code) const;

  /// The most bytes of one message.
  static constexpr int64_t kMostBytes = int64_t{1} << 30;

 private:
  struct Calls {
    int (*init_thread)(int*, char***, int, int*);
    int (*finalize)();
    int (*comm_rank)(Handle, int*);
    int (*comm_size)(Handle, int*);
    int (*get_processor_name)(char*, int*);
    int (*get_library_version)(char*, int*);
    int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
    int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
    int (*test)(Handle*, int*, void*);
    int (*abort)(Handle, int);
    int (*error_string)(int, char*, int*);
  };
  void bind_calls();
  void bind_handles();
  void want(int code, const char* call) const;

  void* library_ = nullptr;  // stays loaded: MPI does not come back after it was unloaded
  Calls calls_ = {};
  Handle world_ = 0, byte_ = 0;
  void* no_status_ = nullptr;
  int serialized_ = 2;
};

}  // namespace skald
