#pragma once
// The decision core: a deterministic state machine. Apply folds facts in; Decide says what to do
// now, why, and when to ask again. It cannot read a clock, and it does no I/O. The same events give
// the same decisions, byte for byte, on every compiler (journal.h).
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

/// What a submission is held against.
enum class Admission {
  kDeadlines,  ///< refused when its deadline cannot be met beside the jobs that are there
  kTakeAll,    ///< refused only when it makes no sense or can never run (comparisons of policies)
};

struct Options {
  Admission admission = Admission::kDeadlines;
  Duration default_max_delay{std::chrono::hours{24}};  ///< for jobs that give no deadline
  int start_retries = 3;                               ///< of attempts that could not be started
  Duration retry_after{std::chrono::minutes{1}};       ///< doubled from one retry to the next
  /// A job that pauses, or whose attempts are ended from outside, so often in a row, though nobody
  /// asked for it, and that does less than a tenth of its run time meanwhile, has failed: it would
  /// be started again for ever.
  int unasked_pauses = 10;
  /// A forecast issued longer ago is not decided on while its source cannot be reached.
  Duration forecast_limit{std::chrono::hours{24}};
  std::optional<Power> ramp_limit_per_5_minutes;  ///< of power that starting jobs add
  /// A decision starts no more than so many jobs, and the next one, at once, starts the next: where
  /// thousands may start together, the first do not wait until all are written down.
  std::optional<int> most_starts;
};

/// Everything an engine remembers beside its options and its policy.
struct Memory {
  State state;
  plan::Change change;                 ///< since the policy was last asked
  plan::Change unplanned;              ///< of what came before, the part that no whole plan knows
  std::vector<core::JobId> just_left;  ///< ended or held, not yet in a decision
};

/// Whether anybody reads why jobs are where they are. Commands are the same either way.
enum class Explaining {
  kChanges,  ///< explanations are kept, and told where they change
  kNothing,  ///< none is made
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

  /// Folds a fact in. An Error refuses it and changes nothing: a submission that cannot be met
  /// (wide, late, contradictory; the message names the earliest deadline that can be), an unknown
  /// job. Facts that are old or known already are taken without effect.
  Status Apply(Event event);

  /// One cycle: snapshot, plan, order, place, diff, explain. `now` does not go back, but for a
  /// ClockSet: an earlier one is taken for the last.
  Decision Decide(Time now, Planning planning = Planning::kWhole);

  /// What a decision with Planning::kAsk asked; nullptr once a plan was taken up, or overtaken by a
  /// whole one.
  const std::shared_ptr<const PlanQuestion>& question() const { return question_; }
  /// What the policy answers to it: spares the decision that takes it up the work. Of another
  /// question: ignored.
  void TakeAnswer(const PlanQuestion& question, plan::Schedule answer);
  /// Some change is known to no whole plan, made or asked for.
  bool has_unplanned() const { return !IsEmpty(unplanned_) || !IsEmpty(change_); }

  /// Whether the executor's knowledge differs from the engine's: only then is it worth an event.
  bool Differs(const ExecutorObserved& observed) const;

  /// Goes on from what another engine remembered (state_json.h): with the same options and policy
  /// it decides what that one would have decided.
  void Restore(Memory memory);
  /// A fact that was taken before, in another life: admission is not asked again.
  Status Reapply(Event event);
  /// Takes a decision that was made before, in another life, as its own, without making it again;
  /// the policy plans anew at the next one. An Error, and no effect: it speaks of jobs or pools
  /// that are not known.
  Status Adopt(const Decision& decision);

  const State& state() const { return state_; }
  const plan::Change& change() const { return change_; }
  /// Includes what an open question covers, because an engine restored from a snapshot has no
  /// open question.
  plan::Change unplanned() const;
  const std::vector<core::JobId>& just_left() const { return just_left_; }
  /// Why the job is where it is; nullptr for a job that is not known.
  const Explanation* Explain(core::JobId job) const;

 private:
  Status Apply(Event event, const Options& options);
  void AdoptStart(LiveJob& live, const StartJob& start);
  void EndDrainIfOver();
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
  /// False: what only waits on is explained by the next decision, which is due at once.
  bool Explain(Cycle& cycle, Decision& decision);
  std::vector<std::size_t> ToExplain(Cycle& cycle);

  Options options_;
  std::unique_ptr<plan::Policy> policy_;
  bool explains_;
  State state_;
  plan::Change change_;     ///< since the policy was last asked
  plan::Change unplanned_;  ///< before that, and since it last planned as a whole
  std::shared_ptr<const PlanQuestion> question_;
  std::optional<plan::Schedule> answer_;  ///< to the question
  std::vector<core::JobId> just_left_;    ///< ended or held, not yet in a decision
  std::vector<core::JobId> touched_;      ///< came, left or changed since the queue_index followed
  std::unique_ptr<QueueIndex> queue_index_;
  /// What deadlines are held against first; empty after anything but submissions and signals.
  std::optional<plan::DeadlineCheck> deadlines_;
};

}  // namespace ebb::engine
