// The functions of cmake/toolchains/newer_glibc.c, which are called own_* here, beside those of a glibc that has them.
// Prints the first thing that is wrong, and ends with 1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int own_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
int own_find_object(void*, struct dl_find_object*);
int own_closefrom(posix_spawn_file_actions_t*, int);

static int wrong;
#define WANT(condition)                                              \
  do {                                                               \
    if (!(condition) && !wrong) printf("line %d: not: %s\n", __LINE__, #condition), wrong = 1; \
  } while (0)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static struct timespec at(double seconds) {
  struct timespec t = {.tv_sec = (time_t)seconds};
  t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
  return t;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int said;

static void* say(void* none) {
  usleep(100000);
  pthread_mutex_lock(&mutex);
  said = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return none;
}

// Waits until the end as callers do; gives how late the wait ended, or -1 for another result.
static double waited(double seconds) {
  const double end = now() + seconds;
  const struct timespec until = at(end);
  int result;
  do result = own_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until);
  while (result == 0);
  return result == ETIMEDOUT ? now() - end : -1;
}

static void test_waits(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 4; ++i) {
    const double late = waited((double[]){-5, -0.2, 0.2, 1.3}[i]);
    WANT(late >= 0 && (i < 2 || late < 10));
  }
  const struct timespec nonsense = {.tv_sec = 1, .tv_nsec = 2000000000};
  WANT(own_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &nonsense) == EINVAL);
  pthread_t thread;
  pthread_create(&thread, NULL, say, NULL);
  const double begin = now();
  const struct timespec until = at(begin + 30);
  while (!said) WANT(own_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until) == 0);
  WANT(now() - begin < 5);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

static void test_finds(void* place) {
  struct dl_find_object own, system;
  const int found = own_find_object(place, &own);
  WANT(found == _dl_find_object(place, &system));
  if (found == 0) WANT(own.dlfo_eh_frame == system.dlfo_eh_frame);
  if (found == 0) WANT(own.dlfo_map_start <= place && place < own.dlfo_map_end);
}

// Whether a child that closes from 3 on has this descriptor.
static int child_has(int descriptor) {
  char path[64];
  snprintf(path, sizeof path, "[ -e /proc/self/fd/%d ]", descriptor);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  WANT(own_closefrom(&actions, 3) == 0);
  char* words[] = {"sh", "-c", path, NULL};
  pid_t child;
  int status = -1;
  WANT(posix_spawn(&child, "/bin/sh", &actions, NULL, words, environ) == 0);
  waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void) {
  int on_stack;
  test_waits();
  test_finds((void*)main);
  test_finds((void*)printf);
  test_finds(dlsym(RTLD_DEFAULT, "pthread_create"));
  test_finds(&on_stack);
  test_finds(malloc(1));
  test_finds(NULL);
  const int open_one = open("/dev/null", O_RDONLY), far = fcntl(open_one, F_DUPFD, 200);
  WANT(open_one >= 3 && far >= 200);
  WANT(!child_has(open_one) && !child_has(far) && child_has(1));
  return wrong;
}
