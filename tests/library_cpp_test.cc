// A C++ program that uses ebb.hpp. It links with libebb.so only.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <ebb.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;

class Library : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(::testing::TempDir()) /
                 ("ebb_library_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
  }
  void TearDown() override { fs::remove_all(directory_); }

  ebb::TrackFlags Flags() const {
    return {{"run-dir", (directory_ / "run").string()},
            {"constant", "360"},
            {"rapl", "none"},
            {"interval", "20ms"}};
  }
  std::string Read(const char* file) const {
    std::ostringstream text;
    text << std::ifstream(directory_ / "run" / file).rdbuf();
    return text.str();
  }

  fs::path directory_;
};

void Work(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST_F(Library, AScopeIsARun) {
  {
    ebb::Tracker tracker(Flags());
    EXPECT_EQ(tracker.run_directory(), (directory_ / "run").string());
    Work(0.1);
    tracker.mark_epoch(1);
    tracker.add_work(1, 16, 8192);
    EXPECT_GT(tracker.totals().cpu_kwh, 0);
  }
  EXPECT_NE(Read("attempts.jsonl").find("\"outcome\":\"done\""), std::string::npos);
  EXPECT_NE(Read("progress.jsonl").find("epoch_end"), std::string::npos);
  EXPECT_NE(Read("summary.json").find("\"tokens\": 8192"), std::string::npos);
}

TEST_F(Library, AScopeLeftByAnExceptionIsAFailedRun) {
  try {
    const ebb::Tracker tracker(Flags());
    throw std::runtime_error("diverged");
  } catch (const std::runtime_error&) {
  }
  EXPECT_NE(Read("attempts.jsonl").find("\"outcome\":\"failed\""), std::string::npos);
}

TEST_F(Library, ErrorsAreThrownAndASecondTrackerIsOne) {
  const ebb::Tracker tracker(Flags());
  try {
    const ebb::Tracker second;
    FAIL() << "a second tracker must be refused";
  } catch (const ebb::TrackError& error) {
    EXPECT_EQ(error.code(), EBB_BUSY);
  }
}

TEST_F(Library, CallsMayComeFromAnyThread) {
  ebb::Tracker tracker(Flags());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&tracker, t] {
      for (int i = 1; i <= 20; ++i) {
        tracker.totals();
        tracker.mark_epoch(20 * t + i);
      }
    });
  }
  threads.emplace_back([&tracker] { tracker.totals(); });
  for (std::thread& thread : threads) thread.join();
  const ebb_totals last = tracker.stop();
  EXPECT_GE(tracker.totals().energy_kwh, last.energy_kwh);
  EXPECT_EQ(tracker.totals().duration_s, last.duration_s);
}

}  // namespace
