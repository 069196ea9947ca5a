#pragma once
// The service manager that started this process (systemd, Type=notify): it is told that the service
// has started, and in one line how it is, which `systemctl status` shows to everybody.

#include <string>

namespace ebb::platform {

class ServiceManager {
 public:
  /// By $NOTIFY_SOCKET, which programs that this process starts do not get. Call it while there is
  /// one thread. Without one, nobody is told anything.
  ServiceManager();

  void TellStarted(const std::string& status) const { Tell("READY=1\nSTATUS=", status); }
  /// Also before it ends: the last line stays.
  void TellStatus(const std::string& status) const { Tell("STATUS=", status); }

 private:
  void Tell(std::string what, const std::string& status) const;

  std::string socket_;  ///< empty: none
};

}  // namespace ebb::platform
