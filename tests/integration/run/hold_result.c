// A library to preload: a worker that has put its model or its result in place goes on only when
// there is a byte to read in the FIFO $SUMAC_TEST_HOLD. Only its trainer stands still.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <sys/syscall.h>
#include <unistd.h>

static int endsWith(const char* path, const char* end) {
  const size_t length = strlen(path);
  const size_t most = strlen(end);
  return length >= most && strcmp(path + length - most, end) == 0;
}

static int isHeld(const char* path) {
  return strcmp(program_invocation_short_name, "sumac-worker") == 0 &&
         (endsWith(path, "/model.safetensors") || endsWith(path, "/result.json"));
}

static void awaitByte(const char* fifo) {
  char byte = 0;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, fifo, O_RDONLY | O_CLOEXEC, 0);
  while (syscall(SYS_read, fd, &byte, 1) < 0 && errno == EINTR) {
  }
  syscall(SYS_close, fd);
}

int rename(const char* from, const char* to) {
  const char* const fifo = getenv("SUMAC_TEST_HOLD");
  const int failed = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (failed == 0 && fifo != NULL && isHeld(to)) awaitByte(fifo);
  return failed;
}
