#pragma once
// Simulates a full disk for this process: while the object lives, files cannot grow beyond a size,
// and the kernel refuses writes half way.
//
// Thread contract: at most one object in a process at a time. It affects all threads.

#include <sys/resource.h>

#include <csignal>

namespace ebb::testing {

class NoRoomForFiles {
 public:
  explicit NoRoomForFiles(rlim_t largest_bytes = 1) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{largest_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~NoRoomForFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  NoRoomForFiles(const NoRoomForFiles&) = delete;
  NoRoomForFiles& operator=(const NoRoomForFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace ebb::testing
