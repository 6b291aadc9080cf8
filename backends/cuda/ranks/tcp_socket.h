#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

struct addrinfo;

namespace stoker::cuda {

using Deadline = std::chrono::steady_clock::time_point;
Deadline deadline_in(double seconds);

// A TCP connection, or a listening socket; closed by its destructor. All calls wait until a
// deadline.
class TcpSocket {
 public:
  TcpSocket() = default;
  TcpSocket(TcpSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  TcpSocket& operator=(TcpSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~TcpSocket();

  // Listens at that port: of the address if this machine has it, else of all its interfaces.
  // Throws CudaError if the port is taken.
  static TcpSocket listen(const std::string& address);
  // One attempt; an empty socket if nobody listens there yet.
  static TcpSocket connect(const std::string& address, Deadline until);

  explicit operator bool() const { return fd_ >= 0; }
  TcpSocket accept(Deadline until) const;  // empty: nobody connected
  // False: closed by the other side, or too late.
  bool send(const void* bytes, size_t size, Deadline until) const;
  bool receive(void* bytes, size_t size, Deadline until) const;

 private:
  explicit TcpSocket(int fd) : fd_(fd) {}
  static TcpSocket bind(const addrinfo& at);
  bool wait(short events, Deadline until) const;

  int fd_ = -1;
};

}  // namespace stoker::cuda
