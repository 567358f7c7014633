// A library to preload: connections to 127.0.0.1 go to the proxy at port $SUMAC_TEST_PROXY instead.
// The proxy learns the wanted port from the address that it was reached at: 127.HIGH.LOW.1.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int connect(int fd, const struct sockaddr* address, socklen_t size) {
  const char* proxy = getenv("SUMAC_TEST_PROXY");
  struct sockaddr_in wanted;
  if (proxy == NULL || address->sa_family != AF_INET || size < sizeof(wanted)) {
    return (int)syscall(SYS_connect, fd, address, size);
  }
  memcpy(&wanted, address, sizeof(wanted));
  if (wanted.sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
    const uint32_t port = ntohs(wanted.sin_port);
    wanted.sin_addr.s_addr = htonl((127U << 24U) | (port << 8U) | 1U);
    wanted.sin_port = htons((uint16_t)strtoul(proxy, NULL, 10));
  }
  return (int)syscall(SYS_connect, fd, (const struct sockaddr*)&wanted, sizeof(wanted));
}
