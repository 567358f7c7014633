// A library to preload: fsync() of a worker does not return while the file $SUMAC_TEST_HOLD exists,
// as on a disk that is slow.

#include <stdlib.h>

#include <sys/syscall.h>
#include <unistd.h>

enum { kPauseMicroseconds = 10000 };

int fsync(int fd) {
  const char* hold = getenv("SUMAC_TEST_HOLD");
  while (hold != NULL && access(hold, F_OK) == 0)
    usleep(kPauseMicroseconds);
  return (int)syscall(SYS_fsync, fd);
}
