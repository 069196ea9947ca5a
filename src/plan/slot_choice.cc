#include "plan/slot_choice.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ebb::plan {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Costs this close are equal: rounding must not delay a job.
constexpr double kEqual = 1 + 1e-9;

// The remaining cost from the beginning of a slot, by slots done so far, and the best step from
// there.
class Table {
 public:
  explicit Table(const SlotProblem& problem)
      : p_(problem),
        count_(static_cast<int>(problem.cost.size())),
        width_(static_cast<std::size_t>(problem.slots) + 1),
        paused_(width_ * (problem.cost.size() + 1), kNever),
        running_(paused_),
        starts_(paused_.size(), 0),
        goes_on_(paused_.size(), 0),
        sum_(problem.cost.size() + 1, 0) {
    for (std::size_t i = 0; i < p_.cost.size(); ++i) sum_[i + 1] = sum_[i] + p_.cost[i];
    for (int t = count_; t >= 0; --t)
      for (int done = p_.slots; done >= 0; --done) Fill(t, done);
  }

  double CostAtBegin() const {
    const int must = Must();
    return p_.running ? sum_[static_cast<std::size_t>(must)] + running_[At(must, must)]
                      : paused_[At(0, 0)];
  }

  std::vector<SlotBlock> Blocks() const {
    std::vector<SlotBlock> blocks;
    int t = 0;
    int done = 0;
    bool on = p_.running;
    if (on) {
      blocks.push_back({0, 0});
      t = done = Must();
    }
    while (done < p_.slots) {
      if (on && goes_on_[At(t, done)]) {
        ++t;
        ++done;
      } else if (!on && starts_[At(t, done)]) {
        blocks.push_back({t, t});
        const int block = Block(done);
        t += block;
        done += block;
        on = true;
      } else if (on) {
        blocks.back().end = t;
        on = false;
      } else {
        ++t;
      }
    }
    if (on) blocks.back().end = t;
    if (!blocks.empty() && blocks.front().end == 0) blocks.erase(blocks.begin());
    return blocks;
  }

 private:
  std::size_t At(int t, int done) const {
    return static_cast<std::size_t>(t) * width_ + static_cast<std::size_t>(done);
  }
  int Must() const { return std::min({p_.running_must, p_.slots, count_}); }
  int Block(int done) const { return std::min(p_.minimum_block, p_.slots - done); }

  double StartAt(int t, int done) const {
    const int block = Block(done);
    if (t + block > count_) return kNever;
    const bool free = done == 0 && !p_.running && !p_.first_is_resumption;
    const auto slot = static_cast<std::size_t>(t);
    return (free ? 0 : p_.resume[slot]) + sum_[slot + static_cast<std::size_t>(block)] -
           sum_[slot] + running_[At(t + block, done + block)];
  }

  void Fill(int t, int done) {
    const std::size_t at = At(t, done);
    if (done == p_.slots) {
      paused_[at] = running_[at] = 0;
      return;
    }
    if (t == count_) return;
    const double wait = paused_[At(t + 1, done)];
    const double start = StartAt(t, done);
    starts_[at] = start < kNever && start <= wait * kEqual;
    paused_[at] = starts_[at] ? start : wait;
    const double go_on = p_.cost[static_cast<std::size_t>(t)] + running_[At(t + 1, done + 1)];
    goes_on_[at] = go_on < kNever && go_on <= paused_[at] * kEqual;
    running_[at] = goes_on_[at] ? go_on : paused_[at];
  }

  const SlotProblem& p_;
  int count_;
  std::size_t width_;
  std::vector<double> paused_, running_;
  std::vector<std::uint8_t> starts_, goes_on_;
  std::vector<double> sum_;
};

}  // namespace

std::optional<SlotChoice> ChooseSlots(const SlotProblem& problem) {
  if (problem.slots > static_cast<int>(problem.cost.size())) return std::nullopt;
  const Table table(problem);
  const double cost = table.CostAtBegin();
  if (cost == kNever) return std::nullopt;
  return SlotChoice{cost, table.Blocks()};
}

}  // namespace ebb::plan
