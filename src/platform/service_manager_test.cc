#include "platform/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "platform/descriptor.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

// A socket that listens as systemd does.
class Listener {
 public:
  explicit Listener(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
  }
  // The next message; empty if none came.
  std::string Next() {
    std::string text(1000, '\0');
    const auto length = ::recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT);
    text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return text;
  }

 private:
  Descriptor socket_{::socket(AF_UNIX, SOCK_DGRAM, 0)};
};

TEST(ServiceManager, IsToldThatTheServiceHasStartedAndHowItIs) {
  const std::string path = ScratchDirectory("service-manager") / "notify";
  Listener listener(path);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  const ServiceManager manager;
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr) << "jobs do not get it";
  manager.TellStarted("listens");
  EXPECT_EQ(listener.Next(), "READY=1\nSTATUS=listens");
  manager.TellStatus("no zone\ngive one");
  EXPECT_EQ(listener.Next(), "STATUS=no zone give one") << "one line";
}

TEST(ServiceManager, IsNotMissed) {
  ::unsetenv("NOTIFY_SOCKET");
  ServiceManager().TellStarted("listens");
  ::setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  ServiceManager().TellStarted("listens");
}

}  // namespace
}  // namespace ebb::platform
