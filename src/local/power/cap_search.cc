#include "local/power/cap_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "base/units_text.h"
#include "local/power/cap_fit.h"

namespace ebb::local {
namespace {

using core::CapTrial;

// The numbers are our own; bench/power-cap shows what they cost.
constexpr std::size_t kLeastMarks = 12;  // reports of progress in a window
// A window is long enough at this error of its rate, as a share of it; the longer it has lasted
// already, the more is accepted.
constexpr double kGoodError = 0.004;
constexpr Duration kStrictFor = std::chrono::minutes{1};
constexpr double kUsableError = 0.03;   // share at which a window of the longest time is used
constexpr double kFirstStep = 0.2;      // first step down, as a share of the GPUs' draw
constexpr double kGrowth = 1.5;         // of the steps down
constexpr double kNear = 0.015;         // limits this close, as a share, count as one
constexpr double kLeastSaving = 0.005;  // share of a step's energy
constexpr std::size_t kLeastTrials = 4;
constexpr int kMostWindows = 9;
constexpr double kAim = 0.97;  // part of the allowed slowdown that the fit aims at
// Windows under later limits may take this much longer than the first one.
constexpr int kPatience = 2;

CapTrial Merged(const CapTrial& a, const CapTrial& b) {
  const double a_s = Seconds(a.measured), b_s = Seconds(b.measured), both = a_s + b_s;
  CapTrial merged = a;
  merged.steps_per_s = (a.steps_per_s * a_s + b.steps_per_s * b_s) / both;
  merged.power.watts = (a.power.watts * a_s + b.power.watts * b_s) / both;
  merged.gpu_power.watts = (a.gpu_power.watts * a_s + b.gpu_power.watts * b_s) / both;
  merged.error = std::hypot(a.error * a_s, b.error * b_s) / both;
  merged.measured = a.measured + b.measured;
  return merged;
}

// The limit with the least energy per step between `lowest` and the highest limit, by the fit. Its
// steps take at most the allowed time.
Power BestBetween(const CapFit& fit, Power lowest, Power highest, double slower_by) {
  Power best = highest;
  for (double watts = highest.watts; watts >= lowest.watts; --watts) {
    const Power cap{watts};
    if (fit.Slower(cap) <= slower_by && fit.StepJoules(cap) < fit.StepJoules(best)) best = cap;
  }
  return best;
}

}  // namespace

CapSearch::CapSearch(CapSearchTerms terms, Time begin)
    : terms_(terms), cap_(terms.limit), window_(begin) {
  Begin(begin);
}

void CapSearch::Begin(Time now) {
  window_begin_ = now + terms_.settle;
  window_ = CapWindow(window_begin_);
}

void CapSearch::GiveUp(std::string why) {
  done_ = true;
  cap_ = terms_.limit;
  chosen_.reset();
  why_ = std::move(why);
}

// Later windows are no longer than the first one needed to be, times kPatience.
bool CapSearch::IsEnough(const CapTrial& trial, Time now) const {
  const Duration taken = now - window_begin_;
  if (now - window_.begin() < terms_.shortest || trial.measured <= Duration::zero()) return false;
  const double accepted = kGoodError * std::max(1.0, Seconds(taken) / Seconds(kStrictFor));
  if (window_.marks() >= kLeastMarks && trial.error <= accepted) return true;
  return stage_ != Stage::kFirst && taken >= kPatience * first_window_;
}

std::string CapSearch::WhyNotEnough() const {
  const auto trial = window_.Measured();
  if (window_.marks() == 0)
    return "the program reports no steps in $EBB_RUN_DIR/progress.jsonl, so its speed is not known";
  if (window_.marks() < kLeastMarks || !trial) return "the program reports its progress too rarely";
  return "the program's rate of progress varies by itself (standard error " +
         FormatFixed(100 * trial->error, 1) + " %)";
}

bool CapSearch::Look(Time now) {
  if (done_ || now < window_begin_) return false;
  const Power before = cap_;
  auto trial = window_.Measured();
  const bool overdue = stage_ == Stage::kFirst && now - window_begin_ >= terms_.longest;
  const bool usable = trial && window_.marks() >= kLeastMarks && trial->error <= kUsableError;
  if (!(trial && IsEnough(*trial, now)) && !(overdue && usable)) {
    if (overdue) GiveUp(WhyNotEnough());
    return cap_ != before;
  }
  trial->cap = cap_;
  trial->gpu_power.watts /= terms_.gpus;
  if (stage_ == Stage::kFirst) first_window_ = now - window_begin_;
  if (stage_ == Stage::kFirstAgain)
    TakeFirstAgain(*trial);
  else
    TakeTrial(*trial);
  if (!done_) Begin(now);
  return cap_ != before;
}

void CapSearch::TakeTrial(const CapTrial& trial) {
  ++windows_;
  const auto same = std::ranges::find(trials_, trial.cap, &CapTrial::cap);
  if (same == trials_.end())
    trials_.push_back(trial);
  else
    *same = Merged(*same, trial);
  std::ranges::sort(trials_, std::greater(), &CapTrial::cap);
  if (trials_.size() > 1) return TryNext();
  stage_ = Stage::kTry;
  if (draw_w() * (1 - kNear) <= terms_.least.watts)
    return GiveUp("each GPU draws " + PowerText(Power{draw_w()}) +
                  ", and the lowest limit that may be set is " + PowerText(terms_.least));
  Try(Power{(1 - kFirstStep) * draw_w()});
}

// The power of a GPU without a lower limit.
double CapSearch::draw_w() const {
  return std::min(trials_.front().gpu_power.watts, terms_.limit.watts);
}

// The lowest limit for which the fit is believed: a step below those that were tried.
Power CapSearch::Reach() const {
  const double lowest = trials_.back().cap.watts;
  const double above = std::min(trials_[trials_.size() - 2].cap.watts, draw_w());
  return Power{std::max(lowest - kGrowth * (above - lowest), terms_.least.watts)};
}

void CapSearch::TryNext() {
  if (windows_ >= kMostWindows) return FinishTrials();
  const CapFit fit(trials_, terms_.gpus);
  const Power next = BestBetween(fit, Reach(), terms_.limit, kAim * terms_.slower_by.percent / 100);
  const auto known = std::ranges::find_if(trials_, [&](const CapTrial& trial) {
    return std::abs(trial.cap.watts - next.watts) <= kNear * next.watts;
  });
  if (known == trials_.end()) return Try(next);
  // Three points could agree by chance.
  if (const auto below = Below(known); trials_.size() < kLeastTrials && below) return Try(*below);
  if (known->error > kGoodError && known != trials_.begin()) return Try(known->cap);
  FinishTrials();
}

// A limit between a trial and the next lower one, or the lowest one that is believed; nothing if
// there is none that differs enough.
std::optional<Power> CapSearch::Below(std::vector<CapTrial>::const_iterator trial) const {
  const double from = std::min(trial->cap.watts, draw_w());
  const double to = trial + 1 == trials_.end() ? Reach().watts : (trial + 1)->cap.watts;
  if (from - to <= 2 * kNear * from) return std::nullopt;
  return Power{(from + to) / 2};
}

// Whole watts: people read them, and drivers round.
void CapSearch::Try(Power cap) {
  cap_ = Power{std::max(std::round(cap.watts), std::ceil(terms_.least.watts))};
}

void CapSearch::FinishTrials() {
  stage_ = Stage::kFirstAgain;
  cap_ = terms_.limit;
}

void CapSearch::TakeFirstAgain(const CapTrial& trial) {
  CapTrial& first = trials_.front();
  const double changed = std::abs(first.steps_per_s / trial.steps_per_s - 1);
  const double noise = 4 * std::hypot(first.error, trial.error);
  if (changed > std::max(terms_.slower_by.percent / 100, noise))
    return GiveUp("the program's speed changed by " + FormatFixed(100 * changed, 1) +
                  " % under the same limit while others were tried");
  first = Merged(first, trial);
  const CapFit fit(trials_, terms_.gpus);
  const double slower_by = terms_.slower_by.percent / 100;
  const Power best = BestBetween(fit, trials_.back().cap, terms_.limit, slower_by);
  const double saved = 1 - fit.StepJoules(best) / fit.StepJoules(terms_.limit);
  if (saved < kLeastSaving)
    return GiveUp(
        "no lower limit saves energy that can be told from chance without making a step "
        "take more than " +
        core::Describe(terms_.slower_by) + " longer");
  done_ = true;
  chosen_ = cap_ = best;
  saved_ = saved;
  slower_ = fit.Slower(best);
}

core::PowerChoice CapSearch::Choice() const {
  core::PowerChoice choice;
  choice.gpus = terms_.gpus;
  choice.slower_by = terms_.slower_by;
  choice.limit = terms_.limit;
  choice.trials = trials_;
  choice.cap = chosen_;
  choice.slower = slower_;
  choice.saved = saved_;
  choice.why = why_;
  if (!done_) choice.why = "the program ended before a limit was found";
  return choice;
}

}  // namespace ebb::local
