#pragma once
// Works out whole plans on a thread of its own. While the whole plan of the queue is quick, each
// decision makes it; once it takes longer than would be felt, decisions place what is new beside
// the standing plan and ask for the whole one, which is taken up when it is there. The thread
// rests after a plan: for as long as that took; twenty times as long where only submissions came
// in, which have their places, because to take a plan up, and to tell it, holds up the submissions.
//
// Thread contract: the loop's thread. The policy is used from both threads: it is pure.

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
    /// The engine's, or another one that plans the same.
    std::unique_ptr<plan::Policy> policy;
    std::function<void()> on_answer;  ///< called by its thread
    /// By the executor's clock, the moment that is so long from now.
    std::function<Time(Clock::duration)> after;
    Counters& counters;
    Clock::duration felt = std::chrono::milliseconds{8};
  };
  explicit PlanThread(Ports ports);
  ~PlanThread() override;

  // runtime::PlanWorker
  engine::Planning Choose(engine::Engine& engine) override;
  void OnDecided(const engine::Engine& engine) override;
  Time NextAt() const override;

  /// More than submissions has come in.
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
  // Of the loop.
  std::shared_ptr<const engine::PlanQuestion> asked_;  // and not answered yet
  bool wanted_ = false;                                // the engine has something unplanned
  bool hurry_ = false;
  Clock::duration took_{};   // the last whole plan...
  std::size_t of_jobs_ = 0;  // ...of so many jobs; 0: none was made
  Clock::time_point answered_{};
  std::size_t deciding_on_ = 0;
  Clock::time_point deciding_since_{};
  bool news_ = false;  // that it plans for
  engine::Planning chosen_ = engine::Planning::kWhole;

  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::shared_ptr<const engine::PlanQuestion> question_;
  std::optional<Answer> answer_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the above
};

}  // namespace ebb::service
