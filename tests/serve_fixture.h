#pragma once
// The queue service as a separate process, and its clients.

#include <algorithm>
#include <functional>
#include <set>

#include "cli_fixture.h"

namespace ebb {

class ServeCommand : public Cli {
 protected:
  void TearDown() override {
    Stop(SIGTERM);
    Cli::TearDown();
  }

  std::vector<std::string> Place() { return {"--store", (directory_ / "ebb.db").string()}; }
  // Starts the service and waits until it answers. Its output is kept apart from that of clients.
  void Serve(std::vector<std::string> more = {"--slots", "3"},
             const std::vector<std::string>& signal = {"--constant", "200"}) {
    fs::remove(directory_ / "ebb.db.url");
    serve_ = ::fork();
    if (serve_ == 0) {
      if (::chdir(directory_.c_str()) != 0) ::_exit(99);
      ::freopen("serve.txt", "a", stdout);
      ::freopen("serve.txt", "a", stderr);
      std::vector<std::string> words{EBB_PROGRAM, "serve", "--store", "ebb.db", "--port", "0"};
      if (std::ranges::find(more, "--policy") == more.end())
        words.insert(words.end(), {"--policy", "run-now"});
      words.insert(words.end(), signal.begin(), signal.end());
      words.insert(words.end(), more.begin(), more.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execv(EBB_PROGRAM, argv.data());
      ::_exit(98);
    }
    WaitUntil([&] { return Client({"queue"}).code == 0; });
  }
  void Stop(int signal) {
    if (serve_ <= 0) return;
    ::kill(serve_, signal);
    ::waitpid(serve_, nullptr, 0);
    serve_ = 0;
  }
  Outcome Client(std::vector<std::string> words, const std::vector<std::string>& command = {}) {
    for (const std::string& word : Place()) words.push_back(word);
    if (!command.empty()) words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  }
  nlohmann::json Queue() {
    const Outcome outcome = Client({"queue", "--all", "--format", "json"});
    const auto parsed = nlohmann::json::parse(outcome.out, nullptr, false);
    return parsed.is_object() ? parsed : nlohmann::json{{"jobs", nlohmann::json::array()}};
  }
  std::size_t Ended() {
    std::size_t ended = 0;
    const auto queue = Queue();
    for (const auto& job : queue.at("jobs"))
      ended += std::set<std::string>{"succeeded", "failed", "cancelled"}.contains(job.at("stage"));
    return ended;
  }
  void WaitUntil(const std::function<bool()>& holds) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{40};
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << Read(directory_ / "serve.txt");
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  std::string Token() {
    std::string token = Read(TokenFile());
    while (!token.empty() && token.back() == '\n') token.pop_back();
    return token;
  }
  fs::path TokenFile() {
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.path().filename().string().find("token") != std::string::npos) return entry.path();
    return {};
  }
  pid_t serve_ = 0;
};

}  // namespace ebb
