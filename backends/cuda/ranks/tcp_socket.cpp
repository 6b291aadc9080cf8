#include "ranks/tcp_socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "libraries/library.h"

namespace stoker::cuda {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses no_addresses() { return {nullptr, ::freeaddrinfo}; }

struct HostAndPort {
  std::string host, port;
};

// Both are empty if it is not "host:port".
HostAndPort split(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return {host, address.substr(colon + 1)};
}

// The status of getaddrinfo, 0 if it succeeded. No host: all interfaces of this machine.
int resolve(const char* host, const std::string& port, int flags, int family, Addresses& found) {
  if (port.empty()) return EAI_NONAME;
  addrinfo hints{}, *list = nullptr;
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  const int status = ::getaddrinfo(host, port.c_str(), &hints, &list);
  found.reset(list);
  return status;
}

int open_socket(const addrinfo& at) {
  return ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol);
}

}  // namespace

Deadline deadline_in(double seconds) {
  constexpr double longest = 1e8;  // what the clock can represent, and more than three years
  return std::chrono::steady_clock::now() +
         std::chrono::nanoseconds(static_cast<int64_t>(std::min(seconds, longest) * 1e9));
}

TcpSocket::~TcpSocket() {
  if (fd_ >= 0) ::close(fd_);
}

TcpSocket TcpSocket::bind(const addrinfo& at) {
  TcpSocket made(open_socket(at));
  if (!made) return {};
  const int yes = 1, no = 0;
  if (at.ai_family == AF_INET6)  // also IPv4's, if it is all interfaces
    ::setsockopt(made.fd_, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (::setsockopt(made.fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      ::bind(made.fd_, at.ai_addr, at.ai_addrlen) == 0 && ::listen(made.fd_, SOMAXCONN) == 0)
    return made;
  return {};
}

// A name is not resolved: where rank 0 runs, that of a service may be unknown yet, or mean only
// the loopback interface. An address may be that of a router.
TcpSocket TcpSocket::listen(const std::string& address) {
  const auto [host, port] = split(address);
  struct Attempt {
    const char* host;
    int flags, family;
  };
  int error = 0;
  std::string why;
  for (const Attempt& one :
       {Attempt{host.c_str(), AI_NUMERICHOST, AF_UNSPEC}, Attempt{nullptr, AI_PASSIVE, AF_INET6},
        Attempt{nullptr, AI_PASSIVE, AF_INET}}) {
    Addresses found = no_addresses();
    const int status = resolve(one.host, port, one.flags, one.family, found);
    if (status != 0 && !one.host) why = ::gai_strerror(status);
    if (!found) continue;
    if (TcpSocket made = bind(*found)) return made;
    error = errno;
    if (error == EADDRINUSE) break;
  }
  throw CudaError(fmt::format(
      "rank 0 cannot listen at {}: {}.{}", address, error ? std::strerror(error) : why,
      error == EADDRINUSE ? " Another program uses the port; MASTER_PORT can name another one, the "
                            "same for all ranks."
                          : ""));
}

TcpSocket TcpSocket::connect(const std::string& address, Deadline until) {
  Addresses found = no_addresses();
  const auto [host, port] = split(address);
  if (resolve(host.c_str(), port, 0, AF_UNSPEC, found) != 0) return {};  // perhaps not known yet
  for (const addrinfo* at = found.get(); at; at = at->ai_next) {
    TcpSocket made(open_socket(*at));
    if (!made) continue;
    if (::connect(made.fd_, at->ai_addr, at->ai_addrlen) != 0 &&
        (errno != EINPROGRESS || !made.wait(POLLOUT, until)))
      continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(made.fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) return made;
  }
  return {};
}

bool TcpSocket::wait(short events, Deadline until) const {
  pollfd polled{fd_, events, 0};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const auto milliseconds = std::clamp<int64_t>(left.count(), 0, 1000);
    const int ready = ::poll(&polled, 1, static_cast<int>(milliseconds));
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR) || left.count() <= 0) return false;
  }
}

TcpSocket TcpSocket::accept(Deadline until) const {
  if (!wait(POLLIN, until)) return {};
  return TcpSocket(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool TcpSocket::send(const void* bytes, size_t size, Deadline until) const {
  for (size_t done = 0; done < size;) {
    if (!wait(POLLOUT, until)) return false;
    const ssize_t sent =
        ::send(fd_, static_cast<const char*>(bytes) + done, size - done, MSG_NOSIGNAL);
    if (sent > 0) done += static_cast<size_t>(sent);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
  }
  return true;
}

bool TcpSocket::receive(void* bytes, size_t size, Deadline until) const {
  for (size_t done = 0; done < size;) {
    if (!wait(POLLIN, until)) return false;
    const ssize_t got = ::recv(fd_, static_cast<char*>(bytes) + done, size - done, 0);
    if (got > 0) done += static_cast<size_t>(got);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
  }
  return true;
}

}  // namespace stoker::cuda
