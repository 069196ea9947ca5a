/* Loaded before a program (LD_PRELOAD), lets a test set its wall clock while it runs: the file named by
 * EBB_SET_CLOCK holds how far it is ahead of the machine's, as 8 bytes of milliseconds. Monotonic clocks are left
 * alone, as they are when somebody sets the time of a machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *ahead_ms;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("EBB_SET_CLOCK");
  *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *ahead_ms, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) ahead_ms = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  /* The constructor of another library may ask before this library's constructor runs. */
  if (!real_clock_gettime) *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real_clock_gettime(clock, now);
  if (result != 0 || !ahead_ms || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  const int64_t ahead = *ahead_ms;
  const int64_t nanoseconds = now->tv_nsec + ahead % 1000 * 1000000;
  now->tv_sec += ahead / 1000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
  now->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *kept) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (kept) *kept = precise.tv_sec;
  return precise.tv_sec;
}
