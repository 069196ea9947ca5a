#pragma once
// The decision core: a deterministic state machine. Apply folds facts in; Decide says what to do
// now, why, and when to ask again. The engine cannot read a clock, and it does no I/O. The same
// events give the same decisions, byte for byte, on every compiler (journal.h).
//
// Thread contract: one thread.

#include <memory>

#include "base/result.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "engine/plan_question.h"
#include "engine/state.h"
#include "plan/feasibility/deadline_check.h"
#include "plan/policy.h"

namespace ebb::engine {

/// The checks that a submission must pass.
enum class Admission {
  kDeadlines,  ///< refuses a job if it cannot meet its deadline beside the jobs in the queue
  kTakeAll,    ///< refuses a job only if it makes no sense or can never run (comparisons of
               ///< policies)
};

struct Options {
  Admission admission = Admission::kDeadlines;
  Duration default_max_delay{std::chrono::hours{24}};  ///< for jobs without a deadline
  int start_retries = 3;                               ///< retries of attempts that could not be
                                                       ///< started
  Duration retry_after{std::chrono::minutes{1}};       ///< wait before the first retry; doubles
                                                       ///< with each retry
  /// A job fails after this many pauses or ends from outside in a row that nobody asked for, if it
  /// did less than a tenth of its run time meanwhile. Otherwise it would be started again for ever.
  int unasked_pauses = 10;
  /// While a source cannot be reached, the engine does not decide on a forecast issued longer ago
  /// than this.
  Duration forecast_limit{std::chrono::hours{24}};
  std::optional<Power> ramp_limit_per_5_minutes;  ///< limit of the power that starting jobs add
  /// A decision starts at most this many jobs, and the next decision follows at once. If thousands
  /// of jobs may start together, the first ones do not wait until all are recorded.
  std::optional<int> most_starts;
  /// The executor runs a job on as many devices as StartJob says. Otherwise elastic jobs run on
  /// their own number of devices, and the engine leaves out their other widths.
  bool changes_widths = false;
};

/// Everything that an engine remembers beside its options and its policy.
struct Memory {
  State state;
  plan::Change change;                 ///< changes since the policy was last asked
  plan::Change unplanned;              ///< earlier changes that no whole plan includes
  std::vector<core::JobId> just_left;  ///< jobs that ended or are held, but are not yet in a
                                       ///< decision
};

/// Says if anybody reads the explanations of jobs. Commands are the same either way.
enum class Explaining {
  kChanges,  ///< the engine keeps explanations and gives those that changed
  kNothing,  ///< the engine makes no explanations
};

struct Cycle;
struct Placement;
class QueueIndex;

class Engine {
 public:
  Engine(Options options, std::unique_ptr<plan::Policy> policy,
         Explaining explaining = Explaining::kChanges);
  Engine(Engine&&) noexcept;
  ~Engine();

  /// Folds a fact in. An Error refuses the fact and changes nothing. It refuses a submission that
  /// cannot be met (too wide, too late, contradictory; the message names the earliest deadline that
  /// can be met) and an unknown job. Facts that are old or known already have no effect.
  Status Apply(Event event);

  /// Runs one cycle: snapshot, plan, order, place, diff, explain. `now` must not go back, except
  /// after a ClockSet; an earlier `now` counts as the last one.
  Decision Decide(Time now, Planning planning = Planning::kWhole);

  /// The question of the last decision with Planning::kAsk; nullptr once the engine took a plan up,
  /// or once a newer whole plan replaced it.
  const std::shared_ptr<const PlanQuestion>& question() const { return question_; }
  /// Takes the policy's answer to the question, so that the decision that takes it up need not work
  /// it out. An answer to another question is ignored.
  void TakeAnswer(const PlanQuestion& question, plan::Schedule answer);
  /// True if no whole plan, made or asked for, includes some change.
  bool has_unplanned() const { return !IsEmpty(unplanned_) || !IsEmpty(change_); }

  /// True if the executor's knowledge differs from the engine's. Only then is an ExecutorObserved
  /// event needed.
  bool Differs(const ExecutorObserved& observed) const;

  /// Continues from the memory of another engine (state_json.h). With the same options and policy,
  /// both decide the same.
  void Restore(Memory memory);
  /// Applies a fact that was accepted in an earlier life, without the admission check.
  Status Reapply(Event event);
  /// Adopts a decision that was made in an earlier life, without making it again; the policy plans
  /// anew at the next decision. Returns an Error, and has no effect, if the decision names unknown
  /// jobs or pools.
  Status Adopt(const Decision& decision);

  const State& state() const { return state_; }
  const plan::Change& change() const { return change_; }
  /// Includes what an open question covers, because an engine restored from a snapshot has no
  /// open question.
  plan::Change unplanned() const;
  const std::vector<core::JobId>& just_left() const { return just_left_; }
  /// The explanation of the job; nullptr if the job is unknown.
  const Explanation* Explain(core::JobId job) const;

 private:
  Status Apply(Event event, const Options& options);
  void AdoptStart(LiveJob& live, const StartJob& start);
  void EndDrainIfOver();
  void GiveWidthsBack();
  void FollowChanges();
  LiveJob& Change(std::size_t index);
  void JudgeFreezing();
  void Plan(Planning planning, const std::vector<plan::SiteView>& sites);
  void PlanWhole(const plan::Problem& problem);
  void PlaceBeside(const plan::Problem& problem);
  void PlanEach(const plan::Problem& problem);
  void TakePlanUp();
  void FollowJobControls();
  void StopInOutage();
  Time RunInOutage();
  std::vector<Command> Commands(const std::vector<Placement>& starts, Cycle& cycle);
  void RememberStarts(const std::vector<Placement>& starts);
  /// Returns false if the explanations of jobs that only wait on come with the next decision, which
  /// is due at once.
  bool Explain(Cycle& cycle, Decision& decision);
  std::vector<std::size_t> ToExplain(Cycle& cycle);

  Options options_;
  std::unique_ptr<plan::Policy> policy_;
  bool explains_;
  State state_;
  plan::Change change_;     ///< changes since the policy was last asked
  plan::Change unplanned_;  ///< earlier changes since the policy last made a whole plan
  std::shared_ptr<const PlanQuestion> question_;
  std::optional<plan::Schedule> answer_;  ///< the answer to question_
  std::vector<core::JobId> just_left_;    ///< jobs that ended or are held, but are not yet in a
                                          ///< decision
  std::vector<core::JobId> touched_;      ///< jobs that came, left or changed since queue_index_
                                          ///< last followed
  std::unique_ptr<QueueIndex> queue_index_;
  /// The check of deadlines that submissions meet first; empty after any fact except submissions
  /// and signals.
  std::optional<plan::DeadlineCheck> deadlines_;
};

}  // namespace ebb::engine
