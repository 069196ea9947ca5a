#include "platform/full_screen.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "testing/terminal.h"

namespace ebb::platform {
namespace {

constexpr Duration kLong{std::chrono::minutes{1}};
const std::string kBack = "\x1b[?1049l";

// Takes the screen of the terminal and acts on it.
std::function<void()> OnScreen(const std::function<void(FullScreen&)>& act) {
  return [=] {
    const auto screen = FullScreen::Open();
    if (!screen) ::_exit(9);
    act(**screen);
  };
}
void Draw(FullScreen& screen, const std::string& line) {
  const std::string lines[] = {line};
  screen.Draw(lines);
}
int StatusOf(const Terminal& terminal) {
  int status = -1;
  ::waitpid(terminal.pid(), &status, 0);
  return status;
}

TEST(FullScreen, DrawsAndReadsKeysAndPutsTheTerminalBack) {
  Terminal terminal(OnScreen([](FullScreen& screen) {
    Draw(screen, "ready");
    Draw(screen, "typed " + screen.Wait(kLong, -1));
  }));
  ASSERT_TRUE(terminal.Await("ready")) << terminal.seen();
  EXPECT_NE(terminal.seen().find("\x1b[?1049h"), std::string::npos) << "on the alternate screen";
  EXPECT_FALSE(terminal.HasModeOfBefore());
  terminal.Type("k");
  EXPECT_TRUE(terminal.Await("typed k")) << terminal.seen();
  EXPECT_TRUE(terminal.Await(kBack)) << terminal.seen();
  EXPECT_EQ(StatusOf(terminal), 0);
  EXPECT_TRUE(terminal.HasModeOfBefore());
}

TEST(FullScreen, AWindowOfAnotherSizeEndsTheWait) {
  Terminal terminal(OnScreen([](FullScreen& screen) {
    Draw(screen, "ready");
    Draw(screen, screen.Wait(kLong, -1).empty() ? "resized" : "typed");
  }));
  ASSERT_TRUE(terminal.Await("ready")) << terminal.seen();
  terminal.Resize(10, 40);
  EXPECT_TRUE(terminal.Await("resized")) << terminal.seen();
  EXPECT_EQ(StatusOf(terminal), 0);
}

TEST(FullScreen, AnAbortPutsTheTerminalBackFirst) {
  Terminal terminal(OnScreen([](FullScreen&) { std::abort(); }));
  EXPECT_TRUE(terminal.Await(kBack)) << terminal.seen();
  const int status = StatusOf(terminal);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_TRUE(terminal.HasModeOfBefore());
}

TEST(FullScreen, ATerminalThatGoesIsNoticed) {
  Terminal terminal(OnScreen([](FullScreen& screen) {
    ::signal(SIGHUP, SIG_IGN);
    Draw(screen, "ready");
    while (!screen.is_gone()) screen.Wait(kLong, -1);
  }));
  ASSERT_TRUE(terminal.Await("ready")) << terminal.seen();
  terminal.Close();
  EXPECT_EQ(StatusOf(terminal), 0);
}

TEST(FullScreen, WithoutATerminalThereIsNone) {
  Terminal terminal([] {
    ::setenv("TERM", "dumb", 1);
    ::_exit(FullScreen::Open() ? 1 : 7);
  });
  EXPECT_EQ(WEXITSTATUS(StatusOf(terminal)), 7);
}

}  // namespace
}  // namespace ebb::platform
