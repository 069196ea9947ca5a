#include "service/soak_for_test.h"

#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "base/random.h"
#include "store/accounts/ledger_sums_for_test.h"
#include "store/upkeep/store_check.h"
#include "testing/no_room.h"

namespace ebb::service {
namespace {

using engine::Stage;
using std::chrono::hours;
using std::chrono::minutes;

enum class Kind { kPlain, kCheckpoints, kDeaf, kFails, kNotThere, kAfterAnother };

struct Planned {
  Time at{};
  Kind kind = Kind::kPlain;
  Duration duration{};
  Duration may_wait{};
};

// An action, and when it is due.
struct Deed {
  Time at{};
  std::function<void()> what;
};

std::vector<double> ManySwingsADay(Duration simulated) {
  std::vector<double> hourly;
  for (int hour = 0; hour < 4 * simulated / hours{1} + 48; ++hour)
    hourly.push_back(300 + 200 * std::sin(hour * 2 * std::numbers::pi / 5));
  return hourly;
}

class Day {
 public:
  Day(const std::string& name, const SoakOptions& options)
      : options_(options),
        random_(options.seed),
        speed_(Seconds(options.simulated) / Seconds(options.wall)),
        world_(name, ManySwingsADay(options.simulated), speed_) {
    world_.adjust = [this](ServiceOptions& service) {
      service.policy = "threshold";
      service.executor.cluster.pools.front().count = 4;
      service.executor.start = [this](const platform::DetachedOptions& detached) {
        return StartOrNot(detached);
      };
    };
    world_.feed().AddOutage({Begin(0.12), Begin(0.2)});
    world_.feed().AddOutage({Begin(0.5), Begin(0.52)});
  }

  SoakResult Live() {
    Plan();
    world_.Start();
    for (const Deed& deed : deeds_) {
      world_.WaitFor([&](const View&) { return world_.service().GridNow() >= deed.at; });
      deed.what();
    }
    LetAllEnd();
    Check();
    return result_;
  }

 private:
  Time Begin(double share) const {
    return World::kDay + DurationFromSeconds(Seconds(options_.simulated) * share);
  }

  Result<pid_t> StartOrNot(const platform::DetachedOptions& detached) {
    if (no_processes_ && starts_++ % 3 == 0) {
      ++result_.starts_that_failed;
      return Fail({ExitCode::kUnavailable, "cannot be started: Resource temporarily unavailable",
                   "supervisor", ""});
    }
    // The disk is full for this process only (testing/no_room.h), so no supervisor is started
    // meanwhile: it would inherit the limit for good.
    const std::lock_guard lock(filling_);
    rlimit full{};
    ::getrlimit(RLIMIT_FSIZE, &full);
    const rlimit room{full.rlim_max, full.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &room);
    auto started = platform::StartDetached(detached);
    ::setrlimit(RLIMIT_FSIZE, &full);
    return started;
  }

  void Plan() {
    for (int i = 0; i < options_.jobs; ++i) {
      Planned job;
      job.at = Begin(0.9 * random_.Uniform());
      job.kind = static_cast<Kind>(random_.Below(6));
      const bool is_long = job.kind == Kind::kCheckpoints || job.kind == Kind::kDeaf;
      job.duration = minutes{10 + static_cast<int>(random_.Below(is_long ? 200 : 60))};
      job.may_wait = hours{1 + static_cast<int>(random_.Below(6))};
      deeds_.push_back({job.at, [this, job] { SubmitPlanned(job); }});
    }
    for (int i = 0; i < options_.jobs; ++i)
      deeds_.push_back({Begin(random_.Uniform()), [this] { ControlSomeJob(); }});
    deeds_.push_back({Begin(0.22), [this] { PauseOneThatRuns(); }});
    deeds_.push_back({Begin(0.25), [this] { FillTheDisk(); }});
    deeds_.push_back({Begin(0.3), [this] { world_.Restart(); }});
    deeds_.push_back({Begin(0.35), [this] { world_.wall().Jump(ToWall(minutes{90})); }});
    deeds_.push_back({Begin(0.4), [this] { no_processes_ = true; }});
    deeds_.push_back({Begin(0.68), [this] { no_processes_ = false; }});
    deeds_.push_back({Begin(0.6), [this] { world_.wall().Jump(-ToWall(minutes{45})); }});
    deeds_.push_back({Begin(0.7), [this] { FillTheDisk(); }});
    deeds_.push_back({Begin(0.8), [this] { world_.Restart(); }});
    std::stable_sort(deeds_.begin(), deeds_.end(),
                     [](const Deed& a, const Deed& b) { return a.at < b.at; });
  }

  Duration ToWall(Duration grid) const { return DurationFromSeconds(Seconds(grid) / speed_); }

  std::string ScriptOf(const Planned& job) const {
    const std::string steps = std::to_string(2 + job.duration / minutes{10});
    const std::string work = " while [ $n -lt " + steps + " ]; do sleep " +
                             std::to_string(Seconds(ToWall(minutes{10}))) + "; n=$((n+1)); done; ";
    const std::string end = "echo $EBB_JOB_ID >> ended";
    switch (job.kind) {
      case Kind::kCheckpoints:
        return "n=$(cat $EBB_RUN_DIR/n 2>/dev/null || echo 0); "
               "trap 'echo $n > $EBB_RUN_DIR/n; exit 75' TERM;" +
               work + end;
      case Kind::kDeaf:
        return "trap '' TERM; n=0;" + work + end;
      case Kind::kFails:
        return "n=0;" + work + "exit 3";
      default:
        return "n=0;" + work + end;
    }
  }

  void SubmitPlanned(const Planned& planned) {
    core::Submission submission = world_.Shell(ScriptOf(planned));
    submission.key = "soak/" + std::to_string(keys_++);
    submission.job.duration = planned.duration;
    submission.job.checkpointable =
        planned.kind == Kind::kCheckpoints || planned.kind == Kind::kDeaf;
    submission.job.threshold = Intensity{250};
    submission.job.start_by = world_.service().GridNow() + planned.may_wait;
    if (planned.kind == Kind::kNotThere) submission.command = {"/nothing/is/here"};
    if (planned.kind == Kind::kAfterAnother && !kinds_.empty())
      submission.after = {kinds_.rbegin()->first};
    TrySubmit(submission, planned.kind);
  }

  // A submission whose answer is an error may have been taken all the same, so it is sent again
  // with its key. Refused for good are jobs that depend on a failed job, and every second one whose
  // program does not exist: the others are submitted with no_check.
  void TrySubmit(core::Submission submission, Kind kind) {
    const bool looked_up = kind != Kind::kNotThere || not_there_++ % 2 == 0;
    for (int left = 200; left > 0; --left) {
      Submit request{submission};
      request.no_check = !looked_up;
      const auto answer = world_.Answered(std::move(request));
      if (answer) {
        if (kind == Kind::kNotThere && looked_up)
          Say(answer->job, "was taken without a program that is there");
        kinds_[answer->job] = kind;
        return;
      }
      if (answer.error().code == ExitCode::kInfeasible) return;
      if (answer.error().code == ExitCode::kCommandNotFound) {
        ++result_.refused_without_program;
        return;
      }
      ++result_.refused_for_now;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
    result_.problems.push_back("no submission was taken any more");
  }

  // Holds, releases or cancels one of the newest jobs.
  void ControlSomeJob() {
    if (kinds_.empty()) return;
    auto job = kinds_.rbegin();
    std::advance(job, random_.Below(std::min<std::size_t>(kinds_.size(), 8)));
    Request request = Cancel{job->first};
    const auto what = random_.Below(8);
    if (what != 0)
      request =
          ControlJob{job->first, what < 4 ? engine::JobControl::kHold : engine::JobControl::kNone};
    if (what == 0) cancelled_.insert(job->first);
    result_.controls += world_.Answered(std::move(request)).has_value();
  }

  // Holds a running job. Random holds may always come while nothing runs, on a slow machine.
  void PauseOneThatRuns() {
    const std::size_t before = kinds_.size();
    SubmitPlanned({{}, Kind::kCheckpoints, hours{4}, hours{4}});
    if (kinds_.size() == before) return;
    const core::JobId job = kinds_.rbegin()->first;
    const auto is = [job](const View& view, Stage stage) {
      const JobCard* card = view.jobs.Find(job);
      return card && card->explanation.stage == stage;
    };
    world_.WaitFor([&](const View& view) {
      return !is(view, Stage::kWaiting) && !is(view, Stage::kStarting);
    });
    result_.controls += world_.Answered(ControlJob{job, engine::JobControl::kHold}).has_value();
    world_.WaitFor([&](const View& view) { return !is(view, Stage::kRunning); });
  }

  // Waits until the service reports it.
  void FillTheDisk() {
    std::optional<testing::NoRoomForFiles> no_room;
    {
      const std::lock_guard lock(filling_);
      no_room.emplace();
    }
    core::Submission refused = world_.Shell("echo $EBB_JOB_ID >> ended");
    refused.key = "soak/" + std::to_string(keys_++);
    const bool taken = world_.Answered(refused).has_value();
    world_.WaitFor([](const View& view) { return !view.trouble.empty(); });
    {
      const std::lock_guard lock(filling_);
      no_room.reset();
    }
    if (taken) result_.problems.push_back("a submission was taken that could not be stored");
    ++result_.refused_for_now;
    world_.WaitFor([](const View& view) { return view.trouble.empty(); });
    TrySubmit(refused, Kind::kPlain);
  }

  void LetAllEnd() {
    for (const auto& [job, kind] : kinds_)
      std::ignore = world_.Answered(ControlJob{job, engine::JobControl::kNone});
    world_.WaitFor(
        [&](const View& view) {
          return std::all_of(kinds_.begin(), kinds_.end(), [&](const auto& entry) {
            const JobCard* card = view.jobs.Find(entry.first);
            return !card || engine::HasEnded(card->explanation.stage);
          });
        },
        std::chrono::seconds{120});
  }

  void Say(core::JobId job, const std::string& what) {
    result_.problems.push_back("job " + std::to_string(job) + " " + what);
  }

  void Check() {
    const auto view = world_.service().view();
    world_.Stop();
    auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
    std::map<core::JobId, int> ends;
    std::ifstream file(world_.directory() / "ended");
    for (core::JobId id = 0; file >> id;) ++ends[id];
    for (const auto& [job, kind] : kinds_) {
      const JobCard* card = view->jobs.Find(job);
      if (!card)
        Say(job, "is lost");
      else
        CheckJob(*card, kind, ends[job], database);
    }
    CheckWhole(database);
  }

  void CheckJob(const JobCard& card, Kind kind, int ends, store::Database& database) {
    const core::JobId job = card.submission->job.id;
    const Stage stage = card.explanation.stage;
    result_.succeeded += stage == Stage::kSucceeded;
    result_.failed += stage == Stage::kFailed;
    result_.cancelled += stage == Stage::kCancelled;
    result_.pauses += card.pauses;
    const bool can_fail = kind == Kind::kFails || kind == Kind::kNotThere ||
                          card.detail.find("cannot be started") != std::string::npos;
    const bool can_be_cancelled =
        cancelled_.contains(job) ||
        kind == Kind::kAfterAnother;  // cancelled because its predecessor failed
    if (!engine::HasEnded(stage)) Say(job, "has not ended");
    if (ends > 1) Say(job, "ran to its end " + std::to_string(ends) + " times");
    if (stage == Stage::kSucceeded && ends != 1) Say(job, "succeeded without coming to its end");
    if (stage == Stage::kSucceeded && can_fail) Say(job, "succeeded, and cannot");
    if (stage == Stage::kFailed && !can_fail) Say(job, "failed: " + card.detail);
    if (stage == Stage::kCancelled && !can_be_cancelled) Say(job, "was cancelled by nobody");
    const auto sums = store::SumLedger(database, job);
    if (!sums || sums->energy != card.energy) Say(job, "has other energy in its ledger");
    const double shown = card.emissions.value_or(Emissions{}).grams;
    const double stored = sums ? sums->emissions.value_or(Emissions{}).grams : 0;
    if (std::abs(shown - stored) > 1e-9 * std::max(1.0, stored))
      Say(job, "has other emissions in its ledger");
    if (sums) result_.energy += sums->energy;
  }

  // The ledger has all that supervisors measured, and the store passes its check.
  void CheckWhole(store::Database& database) {
    Energy measured;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(world_.directory() / "jobs")) {
      if (entry.path().extension() != ".energy") continue;
      local::EnergyTail tail(entry.path());
      for (const core::EnergyReading& reading : tail.Read()) measured += reading.energy;
    }
    if (measured != result_.energy)
      result_.problems.push_back("measured " + std::to_string(measured.microjoules()) +
                                 " uJ, reported " + std::to_string(result_.energy.microjoules()));
    const auto checked = store::CheckStore(database, {});
    if (!checked) result_.problems.push_back(checked.error().Message());
    for (const store::CheckResult& check : checked.value_or(std::vector<store::CheckResult>{}))
      for (const std::string& problem : check.problems)
        result_.problems.push_back(check.what + ": " + problem);
  }

  SoakOptions options_;
  Random random_;
  double speed_;
  SoakResult result_;
  World world_;
  std::vector<Deed> deeds_;
  std::map<core::JobId, Kind> kinds_;
  std::set<core::JobId> cancelled_;
  std::atomic<bool> no_processes_{false};
  std::mutex filling_;  // taken to fill the disk, to make room, and to start the service
  int starts_ = 0;
  int keys_ = 0;
  int not_there_ = 0;
};

}  // namespace

SoakResult Soak(const std::string& name, const SoakOptions& options) {
  return Day(name, options).Live();
}

}  // namespace ebb::service
