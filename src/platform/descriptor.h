#pragma once
// A file descriptor that is closed by the destructor. Private to platform/.

#include <unistd.h>

#include <utility>

namespace ebb::platform {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  bool valid() const { return value_ >= 0; }
  int Close() { return ::close(Release()); }
  /// Gives up the descriptor: the caller closes it.
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace ebb::platform
