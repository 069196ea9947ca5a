#include "plan/problem/preferences.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/deadline.h"
#include "plan/problem/slot_prices.h"

namespace ebb::plan {
namespace {

constexpr double kPerPriority = 4;
// Largest ratio between the weights of the highest and the lowest priority: a larger one would
// drown the costs of the lowest in rounding.
constexpr double kMostWeight = 1e6;
constexpr double kDearestHours = 3;
// Cost of an hour of waiting for a job of the next higher priority, as a share of a mean hour:
// enough to settle ties, too little to matter otherwise.
constexpr double kWaitingShare = 1e-6;

// The distinct priorities, lowest first.
std::vector<int> PrioritiesOf(const std::vector<Task>& tasks) {
  std::vector<int> priorities;
  for (const Task& task : tasks) priorities.push_back(task.view->job->priority);
  std::sort(priorities.begin(), priorities.end());
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  return priorities;
}

double WeightStep(std::size_t priorities) {
  if (priorities < 2) return 1;
  return std::min(kPerPriority, std::pow(kMostWeight, 1.0 / static_cast<double>(priorities - 1)));
}

// A curve that jobs of one kind share at one site.
struct Kind {
  int site = -1;
  int rank = 0;  ///< rank of the priority, 0 is the lowest
  std::optional<double> threshold;
  bool operator<(const Kind& other) const {
    return std::tie(site, rank, threshold) < std::tie(other.site, other.rank, other.threshold);
  }
};

class Preferences {
 public:
  Preferences(const Problem& problem, double risk, PlanInput& input)
      : problem_(problem), risk_(risk), input_(input), expected_(input.curves.size()) {}

  int CurveOf(const Kind& kind) {
    if (kind.rank == 0 && !kind.threshold) return kind.site;
    const auto [at, is_new] = curves_.try_emplace(kind, static_cast<int>(input_.curves.size()));
    if (is_new) input_.curves.push_back(CurveFor(kind));
    return at->second;
  }

 private:
  PriceCurve CurveFor(const Kind& kind) {
    const PriceCurve& site = input_.curves[static_cast<std::size_t>(kind.site)];
    std::vector<double> prices = site.prices();
    const double mean = site.sums().back() / Hours(site.end() - site.begin());
    const double dearest = *std::max_element(prices.begin(), prices.end());
    const auto& expected = ExpectedAt(kind.site);
    const double per_step = kind.rank * kWaitingShare * std::abs(mean) * Hours(site.step());
    for (std::size_t i = 0; i < prices.size(); ++i) {
      prices[i] += per_step * static_cast<double>(i);
      if (kind.threshold && expected[i] && *expected[i] > *kind.threshold)
        prices[i] += kDearestHours * std::abs(dearest);
    }
    return {site.begin(), site.step(), std::move(prices)};
  }

  const std::vector<std::optional<double>>& ExpectedAt(int site) {
    auto& expected = expected_[static_cast<std::size_t>(site)];
    if (!expected.empty()) return expected;
    const auto at = static_cast<std::size_t>(site);
    const bool known = at < problem_.sites.size() && !NothingKnown(problem_.sites[at]);
    expected =
        ExpectedIntensities(known ? problem_.sites[at].view : nullptr, input_.curves[at], risk_);
    return expected;
  }

  const Problem& problem_;
  double risk_;
  PlanInput& input_;
  std::vector<std::vector<std::optional<double>>> expected_;  ///< expected intensities by site,
                                                              ///< filled when first needed
  std::map<Kind, int> curves_;
};

}  // namespace

void ApplyPreferences(const Problem& problem, double risk, PlanInput& input) {
  const std::vector<int> priorities = PrioritiesOf(input.tasks);
  const double step = WeightStep(priorities.size());
  Preferences preferences(problem, risk, input);
  for (Task& task : input.tasks) {
    const core::Job& job = *task.view->job;
    const auto rank =
        std::lower_bound(priorities.begin(), priorities.end(), job.priority) - priorities.begin();
    if (rank == 0 && !job.threshold) continue;
    input.has_preferences = true;
    task.weight = std::pow(step, static_cast<double>(rank));
    std::optional<double> threshold;
    if (job.threshold) threshold = job.threshold->g_per_kwh;
    for (Choice& choice : task.choices)
      choice.curve = preferences.CurveOf({choice.curve, static_cast<int>(rank), threshold});
  }
}

}  // namespace ebb::plan
