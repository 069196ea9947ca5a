// The service on a small file system that is full when it starts, and a run whose disk fills up.
#include <sys/mount.h>

#include "platform/http.h"
#include "serve_fixture.h"

namespace ebb {
namespace {

class FullDisk : public ServeCommand {
 protected:
  void SetUp() override {
    ServeCommand::SetUp();
    small_ = directory_ / "small";
    fs::create_directories(small_);
    if (::mount("tmpfs", small_.c_str(), "tmpfs", 0, "size=8m") != 0)
      GTEST_SKIP() << "needs to mount a tmpfs (root)";
    mounted_ = true;
  }
  void TearDown() override {
    Stop(SIGTERM);
    if (mounted_) ::umount2(small_.c_str(), MNT_DETACH);
    ServeCommand::TearDown();
  }

  void Start() {
    fs::remove(small_ / "ebb.db.url");
    serve_ = StartAside({EBB_PROGRAM, "serve", "--store", "small/ebb.db", "--constant", "200",
                         "--port", "0", "--policy", "run-now", "--slots", "1"},
                        "serve.txt");
  }
  void Fill() {
    std::ofstream filler(small_ / "filler", std::ios::binary);
    const std::string zeros(4096, '\0');
    while (filler.write(zeros.data(), 4096).flush()) {
    }
  }
  // The address that the service prints when it is ready.
  std::string Url() {
    const std::string said = Read(directory_ / "serve.txt");
    const auto begin = said.rfind("http://");
    return begin == std::string::npos ? ""
                                      : said.substr(begin, said.find_first_of(" ,", begin) - begin);
  }
  platform::HttpResponse Get(const std::string& path) {
    platform::HttpRequest request{Url() + path};
    request.direct = true;
    return platform::HttpGet(request).value_or(platform::HttpResponse{});
  }
  Outcome OfSmall(std::vector<std::string> words, const std::vector<std::string>& command = {}) {
    words.insert(words.end(), {"--store", "small/ebb.db"});
    if (!command.empty()) words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  }
  void RunAJob(int number) {
    ASSERT_EQ(OfSmall({"submit"}, {"true"}).code, 0);
    WaitUntil([&] {
      return Contains(OfSmall({"show", std::to_string(number), "--format", "json"}).out,
                      "succeeded");
    });
  }

  fs::path small_;
  bool mounted_ = false;
};

TEST_F(FullDisk, AStartWaitsForRoomAndSaysSo) {
  Start();
  WaitUntil([&] { return Get("/readyz").status == 200; });
  RunAJob(1);
  Stop(SIGTERM);
  Fill();
  Start();
  WaitUntil([&] { return Contains(Read(directory_ / "serve.txt"), "waits for room on the disk"); });
  const platform::HttpResponse ready = Get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_TRUE(Contains(ready.body, "waits for room on the disk")) << ready.body;
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/api/v1/jobs").status, 503);
  EXPECT_EQ(::waitpid(serve_, nullptr, WNOHANG), 0) << "it goes on waiting";
  fs::remove(small_ / "filler");
  WaitUntil([&] { return Get("/readyz").status == 200 && fs::exists(small_ / "ebb.db.url"); });
  EXPECT_TRUE(Contains(OfSmall({"show", "1"}).out, "succeeded"));
  RunAJob(2);
}

TEST_F(FullDisk, AStartThatWaitsCanBeStopped) {
  Fill();
  Start();
  WaitUntil([&] { return Contains(Read(directory_ / "serve.txt"), "waits for room on the disk"); });
  ::kill(serve_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(serve_, &status, 0), serve_);
  EXPECT_TRUE(WIFEXITED(status));
  serve_ = 0;
}

TEST_F(FullDisk, ARunWhoseFiguresCannotBeWrittenShowsThemAndHowItsProgramEnded) {
  const Outcome run = Ebb({"run", "--constant", "200", "--policy", "now", "--output-dir", "small",
                           "--name", "unkept", "--", "sh", "-c",
                           "cat /dev/zero > small/filler 2> /dev/null; sleep 1.2; exit 0"});
  EXPECT_EQ(run.code, static_cast<int>(ExitCode::kUnavailable)) << run.err;
  EXPECT_TRUE(Contains(run.err, "the program ended well (exit code 0)")) << run.err;
  EXPECT_TRUE(Contains(run.out + run.err, "Wh")) << run.out << run.err;
  const auto next = run.err.rfind("ebb summary small/");
  ASSERT_NE(next, std::string::npos) << run.err;
  const std::string named = run.err.substr(next + std::string("ebb summary ").size());
  fs::remove(small_ / "filler");
  const Outcome summary = Ebb({"summary", named.substr(0, named.find_first_of(") \n"))});
  EXPECT_EQ(summary.code, 0) << "what was kept can be summed up later: " << summary.err;
}

}  // namespace
}  // namespace ebb
