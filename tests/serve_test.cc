// The queue service as a user runs it, with real programs, killed at any moment.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <fstream>
#include <set>

#include "local/supervised_program.h"
#include "platform/http.h"
#include "platform/process_table.h"
#include "serve_fixture.h"
#include "store/accounts/ledger_sums_for_test.h"

namespace ebb {
namespace {

// The energy of all attempts, as their supervisors wrote it.
std::int64_t MeasuredMicrojoules(const fs::path& jobs) {
  std::int64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(jobs)) {
    if (entry.path().extension() != ".energy") continue;
    local::EnergyTail tail(entry.path());
    for (const core::EnergyReading& reading : tail.Read()) sum += reading.energy.microjoules();
  }
  return sum;
}

TEST_F(ServeCommand, KilledTenTimesEveryJobEndsOnceAndNoJouleIsLost) {
  Serve();
  for (int i = 0; i < 12; ++i) {
    const Outcome outcome = Client({"submit", "--name", "job" + std::to_string(i)},
                                   {"bash", "-c", "sleep 0.2; echo $EBB_JOB_ID >> ended"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  for (int life = 0; life < 10; ++life) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10 + 37 * life % 100});
    Stop(SIGKILL);
    Serve();
  }
  WaitUntil([&] { return Ended() == 12; });
  const auto queue = Queue();
  for (const auto& job : queue.at("jobs")) EXPECT_EQ(job.at("stage"), "succeeded") << job;
  std::istringstream ended(Read(directory_ / "ended"));
  std::multiset<std::string> ids;
  for (std::string line; std::getline(ended, line);) ids.insert(line);
  EXPECT_EQ(ids.size(), 12u);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 12u);
  Stop(SIGTERM);
  auto database = *store::Database::Open(directory_ / "ebb.db", store::Database::Mode::kRead);
  std::int64_t stored = 0;
  for (core::JobId id = 1; id <= 12; ++id)
    stored += store::SumLedger(database, id)->energy.microjoules();
  EXPECT_GT(stored, 0);
  EXPECT_EQ(stored, MeasuredMicrojoules(directory_ / "jobs"));
  EXPECT_EQ(Ebb({"store", "check", "--store", "ebb.db"}).code, 0);
}

// A drain comes before work on the machine: nothing starts, even after the service was killed.
TEST_F(ServeCommand, ADrainLetsWhatRunsEndAndStartsNothingOverAKillUntilItIsEnded) {
  Serve();
  const auto stage_of = [&](const std::string& name) -> std::string {
    const auto queue = Queue();
    for (const auto& job : queue.at("jobs"))
      if (job.at("name") == name) return job.at("stage");
    return "";
  };
  ASSERT_EQ(Client({"submit", "--name", "first"},
                   {"bash", "-c", "while [ ! -e go ]; do sleep 0.02; done; touch first-done"})
                .code,
            0);
  WaitUntil([&] { return stage_of("first") == "running"; });
  const Outcome drain = Client({"drain", "--why", "new disks"});
  ASSERT_EQ(drain.code, 0) << drain.err;
  EXPECT_NE(drain.out.find("the service is draining: new disks"), std::string::npos) << drain.out;
  EXPECT_NE(drain.out.find("1 job runs to its end"), std::string::npos) << drain.out;
  ASSERT_EQ(
      Client({"submit", "--name", "urgent", "--start-by", "1h"}, {"touch", "second-done"}).code, 0);
  const Outcome now = Client({"now", "urgent"});
  EXPECT_NE(now.out.find("no longer drains"), std::string::npos) << now.out;
  const Outcome until = Client({"drain", "--until", "2h", "--why", "new disks"});
  ASSERT_EQ(until.code, 0) << until.err;
  EXPECT_NE(until.out.find("deadlines that cannot be kept for it:\n    job 2 (urgent)"),
            std::string::npos)
      << until.out;
  const Outcome refused = Client({"submit", "--start-by", "30m"}, {"true"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("draining until"), std::string::npos) << refused.err;
  Stop(SIGKILL);
  Serve();
  const Outcome queue = Client({"queue"});
  EXPECT_NE(queue.out.find("new disks"), std::string::npos) << queue.out;
  std::ofstream(directory_ / "go") << "x";
  WaitUntil(
      [&] { return fs::exists(directory_ / "first-done") && stage_of("first") == "succeeded"; });
  WaitUntil([&] {
    return Client({"drain", "--status"}).out.find("nothing runs any more") != std::string::npos;
  });
  EXPECT_EQ(stage_of("urgent"), "waiting");
  EXPECT_FALSE(fs::exists(directory_ / "second-done"));
  EXPECT_EQ(Client({"drain", "--end", "--why", "x"}).code, static_cast<int>(ExitCode::kUsage));
  const Outcome end = Client({"drain", "--end"});
  EXPECT_NE(end.out.find("does not drain"), std::string::npos) << end.out << end.err;
  WaitUntil([&] { return stage_of("urgent") == "succeeded"; });
  EXPECT_TRUE(fs::exists(directory_ / "second-done"));
  Stop(SIGTERM);
  EXPECT_EQ(Ebb({"store", "check", "--store", "ebb.db"}).code, 0);
}

TEST_F(ServeCommand, PausedThreeTimesATrainingEndsWithTheSameParametersBitForBit) {
#ifndef EBB_TRAIN_PROGRAM
  GTEST_SKIP() << "ebb-train is not built (EBB_TRAIN=OFF)";
#else
  const std::vector<std::string> training{EBB_TRAIN_PROGRAM,
                                          "--data",
                                          "digits",
                                          "--train-samples",
                                          "256",
                                          "--test-samples",
                                          "32",
                                          "--epochs",
                                          "4",
                                          "--batch-size",
                                          "16",
                                          "--threads",
                                          "1",
                                          "--device",
                                          "cpu",
                                          "--progress",
                                          "none"};
  Serve();
  ASSERT_EQ(Client({"submit", "--checkpointable", "--name", "whole"}, training).code, 0);
  ASSERT_EQ(Client({"submit", "--checkpointable", "--name", "in-parts"}, training).code, 0);
  const auto count = [&](const std::string& event) {
    const std::string progress = Read(directory_ / "jobs/2/progress.jsonl");
    const std::string sought = "\"event\":\"" + event + "\"";
    std::size_t found = 0;
    for (auto at = progress.find(sought); at != std::string::npos;
         at = progress.find(sought, at + 1))
      ++found;
    return found;
  };
  const auto stage = [&] {
    const auto queue = Queue();
    for (const auto& job : queue.at("jobs"))
      if (job.at("id") == 2) return job.at("stage").get<std::string>();
    return std::string();
  };
  for (std::size_t pauses = 1; pauses <= 3; ++pauses) {
    const std::size_t steps = count("step");
    WaitUntil([&] { return count("step") > steps; });
    ASSERT_EQ(Client({"pause", "2"}).code, 0);
    WaitUntil([&] { return stage() == "paused"; });
    ASSERT_EQ(Client({"resume", "2"}).code, 0);
    WaitUntil([&] { return count("resume") == pauses; });
  }
  WaitUntil([&] { return Ended() == 2; });
  const auto queue = Queue();
  for (const auto& job : queue.at("jobs")) EXPECT_EQ(job.at("stage"), "succeeded") << job;
  EXPECT_TRUE(fs::exists(directory_ / "jobs/2/attempt-4.log"));
  EXPECT_FALSE(fs::exists(directory_ / "jobs/1/attempt-2.log"));
  const std::string whole = Read(directory_ / "jobs/1/model.safetensors");
  ASSERT_GT(whole.size(), 100'000u);
  EXPECT_TRUE(whole == Read(directory_ / "jobs/2/model.safetensors"));
#endif
}

TEST_F(ServeCommand, AJobIsExportedAsARunWithAllItUsed) {
  Serve();
  ASSERT_EQ(Client({"submit", "--name", "a/b", "--checkpointable", "--start-by", "1h",
                    "--budget-kwh", "1e-9", "--budget-action", "log"},
                   {"bash", "-c", "trap 'exit 75' TERM; while [ ! -e go ]; do :; done"})
                .code,
            0);
  WaitUntil([&] { return Queue().at("jobs")[0].value("energy_kwh", 0.0) > 0; });
  ASSERT_EQ(Client({"pause", "1"}).code, 0);
  WaitUntil([&] { return Queue().at("jobs")[0].at("stage") == "paused"; });
  std::ofstream(directory_ / "go") << "\n";
  ASSERT_EQ(Client({"resume", "1"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  Stop(SIGTERM);
  const Outcome exported =
      Ebb({"store", "export", "1", "--store", "ebb.db", "--output-dir", "out"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string run = exported.out.substr(0, exported.out.find('\n'));
  const auto summary = nlohmann::json::parse(Ebb({"summary", run, "--format", "json"}).out);
  auto database = *store::Database::Open(directory_ / "ebb.db", store::Database::Mode::kRead);
  const auto sums = *store::SumLedger(database, 1);
  EXPECT_EQ(summary.at("outcome"), "done") << summary.dump(2);
  EXPECT_NEAR(summary.at("energy").at("it_kwh"), sums.energy.kwh(), 1e-15) << summary.dump(2);
  EXPECT_NEAR(summary.at("emissions_g"), sums.emissions->grams, 1e-12);
  // The export has every statement that a plain run makes about itself.
  const auto spec = nlohmann::json::parse(Read(directory_ / run / "run.json"));
  ASSERT_EQ(Ebb({"run", "--constant", "200", "--policy", "now", "--run-dir", "plain", "--quiet",
                 "--", "true"})
                .code,
            0);
  const auto plain = nlohmann::json::parse(Read(directory_ / "plain" / "run.json"));
  for (const auto& [key, value] : plain.items())
    EXPECT_EQ(spec.at(key).type(), value.type()) << key;
  EXPECT_EQ(spec.at("machine"), plain.at("machine"));
  EXPECT_FALSE(spec.at("meters").empty());
  const std::string budget = Read(directory_ / run / "budget.jsonl");
  EXPECT_NE(budget.find("\"reached\""), std::string::npos) << budget;
  EXPECT_EQ(Ebb({"store", "export", "7", "--store", "ebb.db"}).code, 2);
}

TEST_F(ServeCommand, AJobCannotHaveTheServiceShowOtherFilesOrWaitForPipes) {
  Serve({"--slots", "2"});
  const fs::path secret = directory_ / "secret";
  std::ofstream(secret) << "a secret\n";
  const std::string in_the_way =
      "cd \"$EBB_RUN_DIR\" && rm attempt-1.log && " + std::string("ln -s ") + secret.string() +
      " attempt-1.log && mkfifo budget.events attempt-1.end attempt-1.faults attempt-1.asked "
      "attempt-2.end attempt-2.energy && touch ready; until [ -e go ]; do sleep 0.02; done";
  ASSERT_EQ(Client({"submit"}, {"bash", "-c", in_the_way}).code, 0);
  const fs::path folder = directory_ / "jobs/1";
  WaitUntil([&] { return fs::exists(folder / "ready"); });
  EXPECT_FALSE(Contains(Client({"logs", "1"}).out, "a secret"));
  fs::remove(folder / "attempt-1.log");
  fs::create_hard_link(secret, folder / "attempt-1.log");
  EXPECT_FALSE(Contains(Client({"logs", "1"}).out, "a secret"));
  ASSERT_EQ(Client({"submit"}, {"true"}).code, 0) << "the service goes on";
  WaitUntil([&] { return Ended() == 1; });
  std::ofstream(folder / "go") << "";
  WaitUntil([&] { return Ended() == 2; });
}

// The status of the service of the store in this directory, its events included.
std::string SaidBy(const fs::path& directory) {
  std::string url = Read(directory / "ebb.db.url");
  url.erase(url.find_last_not_of('\n') + 1);
  platform::HttpRequest status{url + "/api/v1/status"};
  status.direct = true;
  return platform::HttpGet(status)->body;
}

TEST_F(ServeCommand, AJobCannotWriteItsOwnEnergy) {
  Serve();
  const std::string forge =
      "cd \"$EBB_RUN_DIR\"; sleep 1.2; now=$(date +%s%3N); for joules in 3600000000000000 -9 "
      "9223372036854775807; do echo \"[\\\"cpu:x\\\",\\\"cpu\\\",\\\"counter\\\",$((now-500)),$now,"
      "$joules]\" >> attempt-1.energy; done; sleep 1.2";
  ASSERT_EQ(Client({"submit"}, {"bash", "-c", forge}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  const double kwh = Queue().at("jobs")[0].value("energy_kwh", -1.0);
  EXPECT_GE(kwh, 0);
  EXPECT_LT(kwh, 0.01);
  const std::string said = SaidBy(directory_);
  EXPECT_TRUE(Contains(said, "3 lines in its energy file are not believed")) << said;
}

// `systemctl status` shows this text to everybody.
TEST_F(ServeCommand, ItsServiceManagerIsToldWhetherItStartedAndWhyNot) {
  const std::string path = directory_ / "notify";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto told = [&] {
    std::string text(4096, '\0');
    const auto length = ::recv(socket, text.data(), text.size(), MSG_DONTWAIT);
    text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return text;
  };
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  EXPECT_EQ(Ebb({"serve", "--store", "ebb.db", "--port", "0", "--zone", "no zone"}).code, 3);
  const std::string why = told();
  EXPECT_TRUE(why.starts_with("STATUS=ended: ")) << why;
  EXPECT_TRUE(Contains(why, "/etc/default/ebb")) << why;
  EXPECT_FALSE(Contains(why, "READY")) << why;
  Serve({"--slots", "1"});
  const std::string started = told();
  EXPECT_TRUE(started.starts_with("READY=1\nSTATUS=http://127.0.0.1:")) << started;
  ::unsetenv("NOTIFY_SOCKET");
  ASSERT_EQ(
      Client({"submit"}, {"bash", "-c", "echo \"told:$NOTIFY_SOCKET\" > \"$EBB_RUN_DIR\"/env"})
          .code,
      0);
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Read(directory_ / "jobs/1/env"), "told:\n");
  ::close(socket);
}

// A user who removes the package is told which jobs go on without it.
TEST_F(ServeCommand, TheRemovalOfThePackageNamesJobsThatRun) {
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit"}, {"bash", "-c", "until [ -e go ]; do sleep 0.02; done"}).code, 0);
  const std::string folder = fs::canonical(directory_) / "jobs/1";
  // The test replaces all commands that would change this machine.
  const std::string removal =
      "systemctl() { :; }; py3clean() { :; }; set -- remove; . " EBB_SOURCE_DIR
      "/deploy/debian/prerm";
  const auto said = [&] {
    const pid_t shell = StartAside({"/bin/sh", "-c", removal}, "removal.txt");
    ::waitpid(shell, nullptr, 0);
    return Read(directory_ / "removal.txt");
  };
  WaitUntil([&] { return Contains(said(), folder); });
  EXPECT_TRUE(Contains(said(), "to end it now: kill ")) << said();
  std::ofstream(directory_ / "go") << "";
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_FALSE(Contains(said(), folder));
}

// The program itself goes on: it forks a child with another session and an empty environment.
TEST_F(ServeCommand, AJobCannotWriteItsOwnEnd) {
  Serve({"--slots", "1", "--grace", "1s"});
  const std::string forge =
      "cd \"$EBB_RUN_DIR\"; echo '{\"attempt\":1,\"started\":true,\"exit_code\":0,"
      "\"by_signal\":false,\"outcome\":\"done\",\"wall_ms\":[0,1]}' > attempt-1.end; "
      "env -i setsid bash -c 'trap \"\" TERM; echo $$ > daemon; while :; do sleep 0.05; done' & "
      "until [ -s daemon ]; do sleep 0.02; done; [ -e told ] && exit 0; touch told; "
      "kill -KILL $PPID; sleep 60";
  ASSERT_EQ(Client({"submit", "--name", "forger"}, {"bash", "-c", forge}).code, 0);
  const fs::path folder = directory_ / "jobs/1";
  WaitUntil([&] { return fs::exists(folder / "told"); });
  WaitUntil([&] { return Contains(SaidBy(directory_), "is not believed"); });
  EXPECT_EQ(Ended(), 0) << "it has not succeeded, and starts again";
  const pid_t daemon = std::stoi(Read(folder / "daemon"));
  EXPECT_FALSE(platform::ProcessState(daemon)) << "ended before its device is free";
}

TEST_F(ServeCommand, OfWhatAJobPrintsTheNewestIsKeptAndFollowed) {
  Serve({"--slots", "1", "--log-limit", "1"});
  const std::vector<std::string> counts{"bash", "-c",
                                        "seq -w 0 399999; until [ -e go ]; do sleep 0.02; done; "
                                        "seq -w 400000 400009"};
  ASSERT_EQ(Client({"submit"}, counts).code, 0);
  const fs::path log = directory_ / "jobs/1/attempt-1.log";
  struct stat facts {};
  WaitUntil([&] { return ::stat(log.c_str(), &facts) == 0 && facts.st_size == 2'800'000; });
  constexpr long kBlock = 512;
  for (int left = 200; left > 0 && facts.st_blocks * kBlock > 1'000'000; --left) {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    ::stat(log.c_str(), &facts);
  }
  if (facts.st_blocks * kBlock > 2'000'000) GTEST_SKIP() << "this file system has no holes";
  std::ofstream(directory_ / "go") << "";
  WaitUntil([&] { return Ended() == 1; });
  const Outcome outcome = Client({"logs", "1", "--follow"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("no longer kept"), std::string::npos) << outcome.err;
  std::istringstream lines(outcome.out);
  long first = -1, next = -1, line = 0;
  while (lines >> line) {
    if (first < 0) first = next = line;
    ASSERT_EQ(line, next++);
  }
  EXPECT_EQ(next, 400'010);
  EXPECT_GT(first, 200'000);
  EXPECT_LT(first, 380'000);
}

TEST_F(ServeCommand, ASecondServiceOnTheStoreIsRefused) {
  Serve();
  const Outcome second = Ebb({"serve", "--store", "ebb.db", "--constant", "200", "--port", "0"});
  EXPECT_NE(second.code, 0);
  EXPECT_NE(second.err.find("ebb.db"), std::string::npos) << second.err;
  EXPECT_EQ(Client({"queue"}).code, 0) << "the first one does not mind";
}

TEST_F(ServeCommand, NoShellReadsTheWordsOfACommand) {
  Serve();
  const Outcome outcome = Client({"submit"}, {"printf", "%s\n", "$(touch x)", "; touch x",
                                              "`touch x`", "a  b", "*", "\"", ""});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Client({"logs", "1"}).out, "$(touch x)\n; touch x\n`touch x`\na  b\n*\n\"\n\n");
  EXPECT_FALSE(fs::exists(directory_ / "x"));
}

TEST_F(ServeCommand, TheTokenStaysInItsFile) {
  Serve();
  const std::string token = Token();
  ASSERT_EQ(token.size(), 64u);
  ASSERT_EQ(Client({"submit"}, {"bash", "-c", "env; cat /proc/$PPID/cmdline"}).code, 0);
  ASSERT_EQ(Client({"pause", "99"}).code, 2);
  WaitUntil([&] { return Ended() == 1; });
  for (const pid_t pid : {serve_, ::getpid()})
    for (const std::string file : {"/cmdline", "/environ"})
      EXPECT_EQ(Read("/proc/" + std::to_string(pid) + file).find(token), std::string::npos) << file;
  for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
    if (!entry.is_regular_file() || entry.path() == TokenFile()) continue;
    EXPECT_EQ(Read(entry.path()).find(token), std::string::npos) << entry.path();
  }
}

TEST_F(ServeCommand, WhatAProgramIsGivenAndSaysIsForItsOwnerOnly) {
  Serve();
  ASSERT_EQ(Client({"submit", "--env", "PASSWORD=correct-horse"}, {"sh", "-c", "env"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  const auto for_others = fs::perms::group_all | fs::perms::others_all;
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
    if (!entry.is_regular_file() || Read(entry.path()).find("correct-horse") == std::string::npos)
      continue;
    ++found;
    bool is_closed = false;
    for (fs::path path = entry.path(); path != directory_; path = path.parent_path())
      is_closed |= (fs::status(path).permissions() & for_others) == fs::perms::none;
    EXPECT_TRUE(is_closed) << entry.path();
  }
  EXPECT_GE(found, 3) << "the store, the plan of the attempt, its log";
}

TEST_F(ServeCommand, WhatIsHeldSaysByWhom) {
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit", "--name", "first"}, {"sleep", "100"}).code, 0);
  ASSERT_EQ(Client({"submit", "--after", "1"}, {"true"}).code, 0);
  ASSERT_EQ(Client({"submit"}, {"true"}).code, 0);
  ASSERT_EQ(Client({"pause", "3"}).code, 0);
  const auto says = [&](const std::string& job, const std::string& what) {
    return Client({"explain", job}).out.find(what) != std::string::npos;
  };
  WaitUntil([&] { return says("2", "is waiting: after job 1"); });
  WaitUntil([&] { return says("3", "is waiting: on hold; `ebb resume` continues it"); });
  ASSERT_EQ(Client({"cancel", "1"}).code, 0);
  ASSERT_EQ(Client({"cancel", "3"}).code, 0);
  WaitUntil([&] { return Ended() == 3; });
}

TEST_F(ServeCommand, APrivateServiceIsReadWithTheTokenOnly) {
  Serve({"--slots", "1", "--private"});
  ASSERT_EQ(Client({"submit"}, {"sh", "-c", "echo said"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Client({"logs", "1"}).out, "said\n");
  const std::string url = Read(directory_ / "ebb.db.url");
  const auto given = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"show", "1", "--server", url.substr(0, url.find('\n'))};
    words.insert(words.end(), more.begin(), more.end());
    return Client(words);
  };
  // The client does not know whose server this is, so it does not send the token of this store.
  EXPECT_NE(given({}).err.find("needs the service's token"), std::string::npos);
  EXPECT_EQ(given({"--token-file", TokenFile().string()}).code, 0);
  const fs::path token = TokenFile();
  fs::rename(token, directory_ / "elsewhere");
  const Outcome without = Client({"queue"});
  EXPECT_NE(without.code, 0);
  EXPECT_NE(without.err.find(token.filename().string()), std::string::npos) << without.err;
}

// Another user may listen at the address that the service had.
TEST_F(ServeCommand, TheTokenGoesToTheServiceOfTheStoreAndNowhereElse) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listening, 16), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  Serve();
  const auto pretend = [&] { std::ofstream(directory_ / "ebb.db.url") << url << "\n"; };
  pretend();
  EXPECT_EQ(Client({"submit"}, {"true"}).code, 0) << "while it runs";
  WaitUntil([&] { return Ended() == 1; });
  Stop(SIGKILL);
  pretend();
  for (const auto& words : {std::vector<std::string>{"queue"}, {"cancel", "1"}, {"show", "1"}}) {
    const Outcome outcome = Client(words);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("ebb serve"), std::string::npos) << outcome.err;
  }
  const Outcome elsewhere = Client({"cancel", "1", "--server", url});
  EXPECT_NE(elsewhere.err.find("--token-file"), std::string::npos) << elsewhere.err;
  EXPECT_LT(::accept(listening, nullptr, nullptr), 0) << "nobody came";
  ::close(listening);
}

TEST_F(ServeCommand, TiersAreThoseOfItsFile) {
  Write("tiers.yaml",
        "tiers:\n  - {name: calm, threshold: 100, max_delay: 30h, priority: 1}\n"
        "  - {name: soon, max_delay: 10m, priority: 9}\n");
  Serve({"--slots", "3", "--tiers", "tiers.yaml"});
  const std::string tiers = Client({"tiers"}).out;
  EXPECT_NE(tiers.find("calm"), std::string::npos) << tiers;
  EXPECT_NE(tiers.find("1d 6h"), std::string::npos) << tiers;
  EXPECT_EQ(Client({"submit", "--tier", "calm"}, {"true"}).code, 0);
  EXPECT_EQ(Client({"submit", "--tier", "soon"}, {"true"}).code, 0);
  EXPECT_NE(Client({"submit", "--tier", "1"}, {"true"}).code, 0);
  const auto job_of = [&](const std::string& tier) {
    const std::string name = tier + ".yaml";
    Write(name, "jobs:\n  - {name: " + tier + ", command: [\"true\"], tier: " + tier + "}\n");
    return Client({"submit", name});
  };
  const Outcome unknown = job_of("1");
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("1.yaml:2"), std::string::npos) << unknown.err;
  EXPECT_EQ(job_of("calm").code, 0);
  const auto job = nlohmann::json::parse(Client({"show", "1", "--format", "json"}).out);
  EXPECT_EQ(job.value("threshold", 0.0), 100) << job;
  EXPECT_EQ(job.value("priority", 0), 1) << job;
}

TEST_F(ServeCommand, ItsKeysAreNotInTheEnvironmentOfJobs) {
  const char* const secrets[] = {"ELECTRICITYMAPS_API_KEY", "WATTTIME_PASSWORD", "MY_TOKEN",
                                 "EBB_NOTIFY"};
  for (const char* name : secrets) ::setenv(name, "http://127.0.0.1:1/secret", 1);
  Serve({"--slots", "1", "--notify-secret-env", "MY_TOKEN"});
  for (const char* name : secrets) ::unsetenv(name);
  ASSERT_EQ(Client({"submit", "--wait"}, {"env"}).code, 0);
  const std::string log = Client({"logs", "1"}).out;
  EXPECT_NE(log.find("EBB_RUN_DIR"), std::string::npos) << log;
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
}

TEST_F(ServeCommand, ClientsSayWhatIsWrong) {
  const Outcome nobody = Client({"queue"});
  EXPECT_NE(nobody.code, 0);
  EXPECT_NE(nobody.err.find("ebb serve"), std::string::npos) << nobody.err;
  Serve();
  const Outcome wide = Client({"submit", "--gpus", "9"}, {"true"});
  EXPECT_NE(wide.code, 0);
  EXPECT_NE(wide.err.find("9"), std::string::npos) << wide.err;
  const Outcome missing = Client({"submit"}, {"no-such-program"});
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("no-such-program: command not found"), std::string::npos)
      << missing.err;
  EXPECT_NE(missing.err.find("--no-check"), std::string::npos) << missing.err;
  EXPECT_EQ(Client({"submit", "--no-check"}, {"no-such-program"}).out, "1\n") << "the first number";
  EXPECT_NE(Client({"submit"}).code, 0);
  EXPECT_NE(Client({"show", "99"}).code, 0);
  EXPECT_NE(Client({"submit", "--after", "99"}, {"true"}).code, 0);
  fs::permissions(TokenFile(), fs::perms::group_read, fs::perm_options::add);
  const Outcome open = Client({"submit"}, {"true"});
  EXPECT_NE(open.err.find("chmod 600"), std::string::npos) << open.err;
}

}  // namespace
}  // namespace ebb
