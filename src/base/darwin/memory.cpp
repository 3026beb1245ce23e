// Sizes by sysctlbyname(); use by the Mach calls that <mach/host_info.h> and <mach/task_info.h> describe.
#include "base/memory.h"

#include <mach/mach.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/darwin/sysctl.h"

namespace skald {

int64_t system_memory() { return sysctl_number("hw.memsize"); }

// Inactive pages, and those of files, are dropped for new ones.
int64_t available_memory() {
  vm_statistics64 pages = {};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) != KERN_SUCCESS)
    return system_memory();
  return (int64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * sysconf(_SC_PAGESIZE);
}

// In bytes, and not in KiB as elsewhere.
int64_t peak_memory() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss};
}

int64_t anonymous_memory() {
  task_vm_info_data_t info = {};
  mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
  if (task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count) != KERN_SUCCESS) return 0;
  return static_cast<int64_t>(info.internal);
}

int64_t locked_memory() { return 0; }

}  // namespace skald
