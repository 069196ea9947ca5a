#pragma once
// Repeats a start on a full disk until there is room. Meanwhile the address answers with the
// reason.

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "platform/free_space.h"
#include "platform/process_signals.h"
#include "web/http/startup_handler.h"

namespace ebb::cli {

struct WaitForRoom {
  std::string command;              ///< "ebb serve": begins its lines
  std::filesystem::path directory;  ///< directory that needs room
  web::StartupHandler& door;
  platform::ProcessSignals& signals;
  /// Makes the door answer at the service's address and returns that address. May be called again.
  std::function<Result<std::string>()> listen;

  /// Calls `make` and returns its result, or its Error if the disk is not the cause. Returns
  /// kTryLater if asked to stop.
  template <typename Make>
  auto Until(Make make) const -> decltype(make()) {
    for (bool said = false;; said = true) {
      auto made = make();
      if (made || !IsForWantOfRoom(made.error())) return made;
      const std::string why = "waits for room on the disk: " + made.error().Message();
      door.SayWhy("the service " + why);
      auto url = listen();
      if (!url) return Fail(std::move(url).error());
      if (!said) std::fprintf(stderr, "%s: %s %s\n", command.c_str(), url->c_str(), why.c_str());
      if (signals.WaitForStop(kPause))
        return Fail({ExitCode::kTryLater, "stopped while it waited for room on the disk",
                     directory.string(), "what runs goes on"});
    }
  }

 private:
  static constexpr Duration kPause{2000};
  // More than a start needs, and too little for anybody to miss.
  static constexpr std::uint64_t kRoomBytes = 1 << 20;

  bool IsForWantOfRoom(const Error& error) const {
    return error.code == ExitCode::kUnavailable && !platform::HasRoomFor(directory, kRoomBytes);
  }
};

}  // namespace ebb::cli
