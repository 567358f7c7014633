// A library to preload: storage that fails, in workers only. The file $SUMAC_TEST_STORAGE says how,
// in one line: OPERATION NUMBER COUNT TEXT. The next COUNT operations on paths that contain TEXT
// fail with the error number NUMBER, 0: a read finds the file's end; -1: all. What failed is appended to
// $SUMAC_TEST_STORAGE.log.
// Operations: stat, list, open (to read), create (to write), read, write, fsync, mkdir, rename.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kLine = 2 * PATH_MAX };

static int openRaw(const char* path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
}

static void note(const char* control, const char* operation, const char* path) {
  char line[kLine];
  const int size = snprintf(line, sizeof(line), "%s %s\n", operation, path);
  snprintf(line + size + 1, sizeof(line) - (size_t)size - 1, "%s.log", control);
  const int log = openRaw(line + size + 1, O_WRONLY | O_APPEND | O_CREAT);
  syscall(SYS_write, log, line, (size_t)size);
  syscall(SYS_close, log);
}

/// The error number that this operation fails with; -1: it does not. Requires the file's lock.
static int take(int fd, const char* control, const char* operation, const char* path) {
  char line[kLine] = {0};
  char wanted[16];
  char text[PATH_MAX];
  int number = 0;
  int count = 0;
  if (syscall(SYS_read, fd, line, sizeof(line) - 1) <= 0) return -1;
  if (sscanf(line, "%15s %d %d %4095s", wanted, &number, &count, text) != 4) return -1;
  if (count == 0 || strcmp(wanted, operation) != 0 || strstr(path, text) == NULL) return -1;
  const int size = snprintf(line, sizeof(line), "%s %d %d %s\n", wanted, number,
                            count < 0 ? count : count - 1, text);
  syscall(SYS_pwrite64, fd, line, (size_t)size, 0);
  syscall(SYS_ftruncate, fd, (long)size);
  note(control, operation, path);
  return number;
}

/// Whether this operation fails now; errno says how.
static bool fails(const char* operation, const char* path) {
  const char* control = getenv("SUMAC_TEST_STORAGE");
  if (control == NULL || strcmp(program_invocation_short_name, "sumac-worker") != 0) return false;
  const int before = errno;
  const int fd = openRaw(control, O_RDWR);
  if (fd < 0) {
    errno = before;
    return false;
  }
  syscall(SYS_flock, fd, LOCK_EX);
  const int number = take(fd, control, operation, path);
  syscall(SYS_close, fd);
  errno = number < 0 ? before : number;
  return number >= 0;
}

static bool failsAt(const char* operation, int fd) {
  char link[32];
  char path[PATH_MAX] = {0};
  const int before = errno;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlink, link, path, sizeof(path) - 1);
  errno = before;
  return size > 0 && path[0] == '/' && fails(operation, path);
}

static const char* kindOf(int flags) {
  return (flags & O_ACCMODE) == O_RDONLY ? "open" : "create";
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  if (fails(kindOf(flags), path)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  return open(path, flags, mode);
}

/// Folders are listed by a descriptor that was opened so.
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  if ((flags & O_DIRECTORY) != 0 && fails("list", path)) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  return openat(folder, path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (fails(mode[0] == 'r' && strchr(mode, '+') == NULL ? "open" : "create", path)) return NULL;
  FILE* (*const real)(const char*, const char*) = dlsym(RTLD_NEXT, "fopen64");
  return real(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return fopen64(path, mode);
}

DIR* opendir(const char* path) {
  if (fails("list", path)) return NULL;
  DIR* (*const real)(const char*) = dlsym(RTLD_NEXT, "opendir");
  return real(path);
}

int stat64(const char* path, struct stat64* status) {
  if (fails("stat", path)) return -1;
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int stat(const char* path, struct stat* status) {
  if (fails("stat", path)) return -1;
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

ssize_t read(int fd, void* to, size_t size) {
  if (failsAt("read", fd)) return errno == 0 ? 0 : -1;
  return syscall(SYS_read, fd, to, size);
}

ssize_t pread64(int fd, void* to, size_t size, off64_t begin) {
  if (failsAt("read", fd)) return errno == 0 ? 0 : -1;
  return syscall(SYS_pread64, fd, to, size, begin);
}

ssize_t pread(int fd, void* to, size_t size, off_t begin) {
  return pread64(fd, to, size, begin);
}

ssize_t write(int fd, const void* from, size_t size) {
  if (failsAt("write", fd)) return -1;
  return syscall(SYS_write, fd, from, size);
}

ssize_t writev(int fd, const struct iovec* from, int count) {
  if (failsAt("write", fd)) return -1;
  return syscall(SYS_writev, fd, from, count);
}

int fsync(int fd) {
  if (failsAt("fsync", fd)) return -1;
  return (int)syscall(SYS_fsync, fd);
}

int mkdir(const char* path, mode_t mode) {
  if (fails("mkdir", path)) return -1;
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char* from, const char* to) {
  if (fails("rename", from)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
