#pragma once
// Random histories with every kind of event, for the laws of snapshots, journals and stores.

#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/journal_record.h"
#include "plan/make_policy.h"
#include "testing/builders.h"

namespace ebb::engine {

inline core::SignalView RandomView(Time now, Random& random) {
  const core::SignalIdentity identity{"Z", core::SignalKind::kMarginal, core::Boundary::kDirect,
                                      "test"};
  const Time hour = std::chrono::floor<std::chrono::hours>(now);
  std::vector<core::Sample> known, ahead;
  for (Time t = hour - std::chrono::hours{3}; t <= hour; t += std::chrono::hours{1})
    known.push_back({{t, t + std::chrono::hours{1}},
                     {random.Uniform(50, 500)},
                     core::SampleStatus::kEstimated});
  for (Time t = hour + std::chrono::hours{1}; t < hour + std::chrono::hours{30};
       t += std::chrono::hours{1})
    ahead.push_back(
        {{t, t + std::chrono::hours{1}}, {random.Uniform(50, 500)}, core::SampleStatus::kForecast});
  core::SignalView view;
  view.now = now;
  view.known = *core::IntensitySeries::Create(identity, known);
  view.forecast = {now, "a guess", *core::IntensitySeries::Create(identity, ahead), {}, {}};
  return view;
}

// The planner uses rents from two jobs on, so that they are part of every history.
inline std::unique_ptr<plan::Policy> MakePolicyForTest(const std::string& name) {
  plan::PolicyOptions options;
  options.planner.rented_from = 2;
  return *plan::MakePolicy(name, options);
}

inline std::unique_ptr<Engine> MakeEngineForTest(const std::string& policy) {
  Options options;
  options.ramp_limit_per_5_minutes = Power{350};
  return std::make_unique<Engine>(options, MakePolicyForTest(policy));
}

// A history of random events of every kind.
class RandomLife {
 public:
  using Take = std::function<void(const JournalRecord&)>;
  /// `take` gets each record after the engine has taken or made it.
  RandomLife(Engine& engine, std::uint64_t seed, Take take)
      : engine_(engine), random_(seed), take_(std::move(take)) {
    if (!engine.state().cluster.pools.empty()) {  // the engine continues an earlier history
      now_ = engine.state().now;
      return;
    }
    core::Cluster cluster = testing::ClusterOf(3);
    cluster.sites.push_back({"there", "OTHER", {1.3}});
    cluster.sites.back().set_up = std::chrono::minutes{3};
    cluster.pools.push_back({"frugal", 1, 2, 0.7, 0.5, {12}});
    Give(ClusterChanged{cluster});
  }

  /// Sets the id of the next job, so that ids that the engine has forgotten are not used again.
  void GoOnFromId(core::JobId id) { next_id_ = id; }

  /// From now on, decisions use every kind of Planning. `policy` answers some of their questions.
  void PlanBeside(std::unique_ptr<plan::Policy> policy) { beside_ = std::move(policy); }

  void Step() {
    now_ += std::chrono::minutes{1 + static_cast<int>(random_.Below(40))};
    for (int events = static_cast<int>(random_.Below(4)); events >= 0; --events) Happen();
    const Decision decision = engine_.Decide(now_, ChoosePlanning());
    take_(decision);
    for (const Command& command : decision.commands) Answer(command);
  }

 private:
  Planning ChoosePlanning() {
    if (!beside_) return Planning::kWhole;
    if (const auto question = engine_.question(); question && random_.Below(2) == 0)
      engine_.TakeAnswer(*question, question->Answer(*beside_));
    return static_cast<Planning>(random_.Below(6));
  }
  void Give(Fact fact) {
    Event event{now_, std::move(fact)};
    if (engine_.Apply(event)) take_(event);
  }
  void Happen() {
    const int site = static_cast<int>(random_.Below(2));
    switch (random_.Below(13)) {
      case 0:
        return Give(SignalObserved{site, RandomView(now_, random_), now_ + std::chrono::hours{1}});
      case 1:
        return Give(SignalLost{site, "no \"route\"\n\xff", now_ + std::chrono::minutes{5}});
      case 2:
        return Give(JobCancelled{1 + static_cast<core::JobId>(random_.Below(40))});
      case 3:
        return Reconcile();
      case 4:
        return EndOne();
      case 5:
        return Give(JobControlled{1 + static_cast<core::JobId>(random_.Below(40)),
                                  static_cast<JobControl>(random_.Below(3))});
      case 6:
        return ForgetSome();
      case 7:
        return SetClock();
      case 8:
        return ChangeOne();
      case 9:
        return SetDrain();
      default:
        return SubmitOne();
    }
  }
  // Sets the clock forward or back by up to three hours, seldom.
  void SetClock() {
    if (random_.Below(4) != 0) return;
    const Time from = now_;
    now_ += std::chrono::minutes{static_cast<int>(random_.Below(360)) - 180};
    Give(ClockSet{from, now_});
  }
  // Sets a drain seldom, with or without an end. The drain is over soon, so that jobs end in every
  // life.
  void SetDrain() {
    if (engine_.state().drain) return Give(DrainSet{});
    if (random_.Below(10) != 0) return;
    Drain drain{now_, std::nullopt, "new disks"};
    if (random_.Below(2) == 0)
      drain.until = now_ + std::chrono::minutes{1 + static_cast<int>(random_.Below(300))};
    Give(DrainSet{drain});
  }
  void ForgetSome() {
    if (random_.Below(4) == 0)
      Give(EndedForgotten{now_ - std::chrono::hours{static_cast<int>(random_.Below(5))}});
  }
  // The engine refuses the change if the job runs or has ended.
  void ChangeOne() {
    JobChanged fact{1 + static_cast<core::JobId>(random_.Below(40)), {}};
    if (random_.Below(2)) fact.change.name = "again";
    if (random_.Below(2)) fact.change.priority = static_cast<int>(random_.Below(9)) - 4;
    if (random_.Below(3) == 0) fact.change.threshold = Intensity{random_.Uniform(50, 500)};
    if (random_.Below(4) == 0) fact.change.drop_threshold = true;
    if (random_.Below(3) == 0)
      fact.change.start_by = now_ + std::chrono::hours{static_cast<int>(random_.Below(30))};
    if (random_.Below(3) == 0)
      fact.change.finish_by = now_ + std::chrono::hours{static_cast<int>(random_.Below(40))};
    if (random_.Below(4) == 0)
      fact.change.duration = std::chrono::minutes{1 + static_cast<int>(random_.Below(300))};
    if (random_.Below(6) == 0) fact.change.drop_start_by = fact.change.drop_finish_by = true;
    Give(std::move(fact));
  }
  void SubmitOne() {
    while (engine_.Explain(next_id_)) ++next_id_;
    testing::AJob job(next_id_);
    job.Submitted(now_).Runs(std::chrono::minutes{10 + static_cast<int>(random_.Below(300))});
    job.Wide(1 + static_cast<int>(random_.Below(2))).Draws(random_.Uniform(50, 200));
    if (random_.Below(2))
      job.Pausable(std::chrono::minutes{2}, std::chrono::minutes{20});
    else if (random_.Below(2))
      job.Freezable();
    if (random_.Below(3) == 0)
      job.Within(std::chrono::hours{3 + static_cast<int>(random_.Below(20))});
    core::Job submitted = job;
    if (next_id_ % 3 == 0) {  // has to bring files to the other site
      submitted.home = "here";
      submitted.file_bytes = next_id_ * 10'000'000'000;
      submitted.checkpoint_bytes = 1'000'000'000;
    }
    Give(JobSubmitted{submitted});
  }
  void EndOne() {
    const auto& live = engine_.state().live;
    if (live.empty()) return;
    const LiveJob& job = *live[random_.Below(live.size())];
    if (job.stage != Stage::kRunning) return;
    const auto phase = static_cast<JobPhase>(1 + random_.Below(3));
    Give(JobReport{job.job.id, job.attempt, phase, job.pool, now_, 3, "by chance"});
  }
  // Reports an executor that knows only some of the jobs.
  void Reconcile() {
    ExecutorObserved observed;
    for (const auto& live : engine_.state().live)
      if (HoldsDevices(*live) && random_.Below(5) != 0)
        observed.reports.push_back(
            {live->job.id, live->attempt,
             live->job.freeze && random_.Below(2) ? JobPhase::kFrozen : JobPhase::kRunning,
             live->pool, now_, 0, ""});
    Give(std::move(observed));
  }
  void Answer(const Command& command) {
    if (random_.Below(6) == 0) return;  // the report is lost
    if (const auto* start = std::get_if<StartJob>(&command)) {
      const bool fails = random_.Below(8) == 0;
      Give(JobReport{start->job, start->attempt,
                     fails ? JobPhase::kStartFailed : JobPhase::kRunning, start->pool, now_, 0,
                     ""});
    } else if (const auto* pause = std::get_if<PauseJob>(&command)) {
      const LiveJob* live = engine_.state().FindLive(pause->job);
      const bool freeze = live && live->job.freeze;
      Give(JobReport{pause->job, pause->attempt, freeze ? JobPhase::kFrozen : JobPhase::kPaused,
                     freeze ? live->pool : 0, now_, 0, ""});
    } else {
      const auto& cancel = std::get<CancelJob>(command);
      Give(JobReport{cancel.job, cancel.attempt, JobPhase::kCancelled, 0, now_, 0, ""});
    }
  }

  Engine& engine_;
  Random random_;
  Take take_;
  Time now_ = *ParseTime("2023-05-01");
  core::JobId next_id_ = 1;
  std::unique_ptr<plan::Policy> beside_;
};

}  // namespace ebb::engine
