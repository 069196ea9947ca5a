#pragma once
// A queue service on a thread of its own: a fake signal, a replayed clock (or a live one), real
// programs under real supervisors, a store in an empty directory. wall().Jump sets the wall clock
// of the service, forward or back, while no time goes by; a replayed clock jumps by as much times
// its speed. Supervisors are processes of their own and keep the machine's clock.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "platform/system_clock.h"
#include "service/service.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"
#include "testing/settable_clock.h"

namespace ebb::service {

class World {
 public:
  explicit World(const std::string& name, std::vector<double> hourly = {360, 100}, double speed = 1,
                 bool live = false)
      : directory_(ScratchDirectory("service_" + name)),
        clock_(wall_, {!live, kDay, speed, false}),
        feed_(live ? std::chrono::floor<std::chrono::days>(wall_.Now()) : kDay, std::move(hourly)) {
  }
  ~World() {
    if (!service_) return;
    for (core::JobId id = 1; service_->view()->jobs.Find(id); ++id)
      std::ignore = Answered(Cancel{id});
    WaitFor([](const View& view) { return view.running.empty(); });
    Stop();
  }

  std::filesystem::path store() const { return directory_ / "ebb.db"; }
  const std::filesystem::path& directory() const { return directory_; }
  Service& service() { return *service_; }
  testing::SettableClock& wall() { return wall_; }
  testing::FakeFeed& feed() { return feed_; }

  void Open() {
    ServiceOptions options;
    options.ended_in_view = ended_in_view;
    options.store = store();
    options.jobs_directory = directory_ / "jobs";
    options.policy = "run-now";
    options.trouble_retry = Duration{50};
    options.executor.cluster.sites = {{"here", "DE", Pue{1}}};
    options.executor.cluster.pools = {{"cpu", 0, 2, 1, 1, Power{0}}};
    options.executor.tick = Duration{20};
    options.executor.clock = {Duration{200}, Duration{50}};
    options.executor.grace = std::chrono::seconds{2};
    options.executor.supervisor = {"supervisor_for_test"};
    options.executor.supervisor_program = EBB_SUPERVISOR_FOR_TEST;
    adjust(options);
    auto opened = Service::Open(options, feed_, clock_, signals_);
    ASSERT_TRUE(opened) << opened.error().Message();
    service_ = *std::move(opened);
  }
  void Start() {
    Open();
    if (service_) StartLoop();
  }
  void StartLoop() {
    loop_ = std::thread([this] { stopped_ = service_->Run(); });
  }
  /// Stops the service. Running jobs go on.
  void Stop() {
    if (loop_.joinable()) {
      ::kill(::getpid(), SIGTERM);
      loop_.join();
      std::ignore = signals_.Wait(Duration::zero());  // the service may have ended by itself before
      EXPECT_TRUE(stopped_) << stopped_.error().Message();
    }
    service_.reset();
  }
  /// Moves the replayed clock, while the service is stopped or waits.
  void SkipTo(Time time) { clock_.SkipTo(time); }
  void Restart() {
    Stop();
    Start();
  }

  core::Submission Shell(const std::string& script) {
    core::Submission submission;
    submission.job.name = "job";
    submission.job.duration = Duration{1000};
    submission.job.power = Power{10};
    submission.job.checkpointable = true;
    submission.command = {"bash", "-c", script};
    submission.working_directory = directory_.string();
    return submission;
  }
  Result<Answer> Answered(Request request) {
    auto answer = service_->Ask(std::move(request));
    if (answer.wait_for(std::chrono::seconds{20}) != std::future_status::ready)
      return Fail({ExitCode::kUnavailable, "no answer", "", ""});
    return answer.get();
  }
  core::JobId Submit(core::Submission submission) {
    const auto answer = Answered(std::move(submission));
    EXPECT_TRUE(answer) << answer.error().Message();
    return answer ? answer->job : 0;
  }
  std::shared_ptr<const View> WaitFor(const std::function<bool(const View&)>& holds,
                                      std::chrono::seconds patience = std::chrono::seconds{20}) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    auto view = service_->view();
    while (!holds(*view)) {
      if (std::chrono::steady_clock::now() > limit) {
        ADD_FAILURE() << "it did not come about";
        break;
      }
      view = service_->WaitForNewer(view->version, std::chrono::milliseconds{100});
    }
    return view;
  }
  JobCard WaitForStage(core::JobId job, engine::Stage stage) {
    const auto view = WaitFor([&](const View& now) {
      const JobCard* card = now.jobs.Find(job);
      return card && card->explanation.stage == stage;
    });
    const JobCard* card = view->jobs.Find(job);
    return card ? *card : JobCard{};
  }

  std::size_t ended_in_view = 2000;
  std::function<void(ServiceOptions&)> adjust = [](ServiceOptions&) {};
  inline static const Time kDay = *ParseTime("2023-05-01");

 private:
  std::filesystem::path directory_;
  platform::ProcessSignals signals_;
  platform::SystemClock system_clock_{signals_};
  testing::SettableClock wall_{system_clock_};
  runtime::GridClock clock_;
  testing::FakeFeed feed_;
  std::unique_ptr<Service> service_;
  std::thread loop_;
  Result<int> stopped_ = 0;
};

}  // namespace ebb::service
