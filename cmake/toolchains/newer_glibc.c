// The functions that GCC 12, its libraries and Skald take from glibc, and that glibc 2.28 lacks. The linker names each one
// that is missing here. They are hidden: a shared library that has them keeps its own.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// Of 2.32. Nonzero allows counters without atomic operations: 0 is always right.
char __libc_single_threaded = 0;

// Of 2.30. The condition's own clock is the real-time one, which may be set: a wait ends after a second at most, as waits may
// for no reason, and the caller looks at its own clock.
int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* end) {
  const int64_t second = 1000000000;
  struct timespec now;
  if (end->tv_nsec < 0 || end->tv_nsec >= second || clock_gettime(clock, &now) != 0) return EINVAL;
  const int64_t seconds = (int64_t)end->tv_sec - now.tv_sec;
  if (seconds < 0) return ETIMEDOUT;
  const int64_t left = seconds > 1 ? 2 * second : seconds * second + end->tv_nsec - now.tv_nsec;
  if (left <= 0) return ETIMEDOUT;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t until = now.tv_nsec + (left < second ? left : second);
  const struct timespec wake = {.tv_sec = now.tv_sec + until / second, .tv_nsec = until % second};
  const int result = pthread_cond_timedwait(cond, mutex, &wake);
  return result == ETIMEDOUT && left > second ? 0 : result;
}

// Of 2.35: where the unwinder finds the frames of a place in the code.
struct search {
  uintptr_t place;
  struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct search* search = data;
  int is_within = 0;
  void* eh_frame = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) eh_frame = (void*)begin;
    if (part->p_type != PT_LOAD || search->place - begin >= part->p_memsz) continue;
    is_within = 1;
    search->found->dlfo_map_start = (void*)begin;
    search->found->dlfo_map_end = (void*)(begin + part->p_memsz);
  }
  search->found->dlfo_eh_frame = eh_frame;
  return is_within && eh_frame;
}

int _dl_find_object(void* place, struct dl_find_object* found) {
  *found = (struct dl_find_object){0};
  struct search search = {.place = (uintptr_t)place, .found = found};
  return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}

// Of 2.34. The system's, where there is one; else the child closes what is open now.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
  int (*own)(posix_spawn_file_actions_t*, int);
  *(void**)&own = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
  if (own) return own(actions, from);
  DIR* open = opendir("/proc/self/fd");
  if (!open) return errno;
  int result = 0;
  for (const struct dirent* entry; result == 0 && (entry = readdir(open));) {
    const int number = atoi(entry->d_name);
    if (number >= from && number != dirfd(open)) result = posix_spawn_file_actions_addclose(actions, number);
  }
  closedir(open);
  return result;
}

#pragma GCC visibility pop
