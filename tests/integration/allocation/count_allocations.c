// A library to preload: counts the calls of each allocating function by kind of thread, and writes
// the counts at the program's end to $SUMAC_COUNT_ALLOCATIONS.<program>.<process id>, a line for
// each kind: its name, then the counts in the order of `functions`.
//
// Threads are told apart by name: the main one, "compute-...", "prefetch" and all others. The real
// functions are reached by glibc's own names, as dlsym() would allocate itself.
//
// Counting ends when metrics.jsonl is opened for reading: after the last step the result's curve is
// drawn from it, with memory for each line.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum Function { kMalloc, kCalloc, kRealloc, kPosixMemalign, kAlignedAlloc, kMmap, kFunctions };
enum Kind { kUnknown, kMain, kCompute, kPrefetch, kOther, kKinds };

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static const char* const kNames[kKinds] = {"unknown", "main", "compute", "prefetch", "other"};
static atomic_ulong counts[kKinds][kFunctions];
// In the program's own block of thread-local memory: any other would be allocated on first use.
static __thread enum Kind kind_here __attribute__((tls_model("initial-exec")));

static enum Kind kindOfThread(void) {
  if (kind_here != kUnknown) return kind_here;
  if (syscall(SYS_gettid) == getpid()) return kind_here = kMain;
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  if (strncmp(name, "compute-", 8) == 0) return kind_here = kCompute;
  if (strncmp(name, "prefetch", 8) == 0) return kind_here = kPrefetch;
  return kOther;  // or not named yet
}

static atomic_int has_ended;

FILE* fopen64(const char* path, const char* mode) {
  static const char name[] = "/metrics.jsonl";
  const size_t length = strlen(path);
  const size_t suffix = sizeof name - 1;
  if (mode[0] == 'r' && length > suffix && strcmp(path + length - suffix, name) == 0) {
    atomic_store(&has_ended, 1);
  }
  FILE* (*const real)(const char*, const char*) =
      (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, "fopen64");
  return real(path, mode);
}

static void count(enum Function called) {
  if (atomic_load(&has_ended)) return;
  const int error = errno;
  atomic_fetch_add(&counts[kindOfThread()][called], 1);
  errno = error;
}

void* malloc(size_t size) {
  count(kMalloc);
  return __libc_malloc(size);
}

void* calloc(size_t number, size_t size) {
  count(kCalloc);
  return __libc_calloc(number, size);
}

void* realloc(void* block, size_t size) {
  count(kRealloc);
  return __libc_realloc(block, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  count(kPosixMemalign);
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const made = __libc_memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *block = made;
  return 0;
}

void* aligned_alloc(size_t alignment, size_t size) {
  count(kAlignedAlloc);
  return __libc_memalign(alignment, size);
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  count(kMmap);
  return (void*)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

__attribute__((destructor)) static void writeCounts(void) {
  const char* const prefix = getenv("SUMAC_COUNT_ALLOCATIONS");
  if (prefix == NULL) return;
  char path[1024];
  snprintf(path, sizeof path, "%s.%s.%d", prefix, program_invocation_short_name, (int)getpid());
  const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  for (int kind = kMain; kind < kKinds; ++kind) {
    char line[256];
    int length = snprintf(line, sizeof line, "%s", kNames[kind]);
    for (int called = 0; called < kFunctions; ++called) {
      length += snprintf(line + length, sizeof line - (size_t)length, " %lu",
                         atomic_load(&counts[kind][called]));
    }
    line[length++] = '\n';
    if (write(file, line, (size_t)length) != length) break;
  }
  close(file);
}
