#pragma once
// The service manager that started this process (systemd, Type=notify). Ebb tells it that the
// service has started, and one line on the state of the service, which `systemctl status` shows to
// everybody.

#include <string>

namespace ebb::platform {

class ServiceManager {
 public:
  /// Takes the address from $NOTIFY_SOCKET and removes the variable, so that started programs do
  /// not get it. Call it while there is one thread. Without the variable, the other functions do
  /// nothing.
  ServiceManager();

  void TellStarted(const std::string& status) const { Tell("READY=1\nSTATUS=", status); }
  /// Sends the status line. The last line before the end of the process stays visible.
  void TellStatus(const std::string& status) const { Tell("STATUS=", status); }

 private:
  void Tell(std::string what, const std::string& status) const;

  std::string socket_;  ///< address; empty: no service manager
};

}  // namespace ebb::platform
