#pragma once
// Makes whole plans of the queue on a thread of its own. While a whole plan is quick, each decision
// makes one. Once it takes longer than people would notice, a decision only places new jobs beside
// the plan in force and asks the thread for a whole plan, which a later decision takes up.
//
// After a plan the thread rests as long as the plan took. It rests twenty times as long if only
// submissions have come in since: these have their places already, and each new plan delays the
// answers to submissions while it is taken up and published.
//
// Thread contract: the loop's thread. Both threads use the policy, which is pure.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/plan_worker.h"
#include "service/views/counters.h"

namespace ebb::service {

class PlanThread final : public runtime::PlanWorker {
 public:
  using Clock = std::chrono::steady_clock;
  struct Ports {
    /// A policy that plans as the engine's policy does.
    std::unique_ptr<plan::Policy> policy;
    std::function<void()> on_answer;  ///< called on the plan thread
    /// The time on the executor's clock after this much wall time.
    std::function<Time(Clock::duration)> after;
    Counters& counters;
    /// People notice decisions that take longer.
    Clock::duration felt = std::chrono::milliseconds{8};
  };
  explicit PlanThread(Ports ports);
  ~PlanThread() override;

  // runtime::PlanWorker
  engine::Planning Choose(engine::Engine& engine) override;
  void OnDecided(const engine::Engine& engine) override;
  Time NextAt() const override;

  /// Shortens the rest: more than submissions has come in.
  void Hurry() { hurry_ = true; }

 private:
  struct Answer {
    std::shared_ptr<const engine::PlanQuestion> question;
    plan::Schedule schedule;
    Clock::duration took{};
  };
  void Work();
  bool Takes(std::size_t jobs) const;
  Clock::duration RestLeft() const;
  std::optional<Answer> TakeAnswer();

  Ports ports_;
  // The loop's.
  std::shared_ptr<const engine::PlanQuestion>
      asked_;            // the question that the thread has not answered yet
  bool wanted_ = false;  // the engine has jobs without a plan
  bool hurry_ = false;
  Clock::duration took_{};   // by the last whole plan...
  std::size_t of_jobs_ = 0;  // ...of this many jobs; 0: there was none
  Clock::time_point answered_{};
  std::size_t deciding_on_ = 0;
  Clock::time_point deciding_since_{};
  bool news_ = false;  // the decision had jobs to plan
  engine::Planning chosen_ = engine::Planning::kWhole;

  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::shared_ptr<const engine::PlanQuestion> question_;
  std::optional<Answer> answer_;
  bool stopping_ = false;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace ebb::service
