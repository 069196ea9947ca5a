#pragma once
// Bayesian search by a tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl,
// NeurIPS 2011), with every parameter by itself. The trials so far are split into the best ones and
// the others; one density is estimated of each; of some values that are drawn from the density of
// the best, the one is tried at which the best are most likely against the others.
//
// Parameters are looked at on [0, 1], where their distribution is uniform (random_search.h). A
// density there is a mixture of the uniform one and a normal one around each trial, cut off at the
// ends; of choices it is their shares, with one more for each. Pure.

#include <limits>
#include <optional>

#include "base/random.h"
#include "sweep/random_search.h"

namespace ebb::sweep {

/// A trial that is over. One that failed, or was stopped early, is worse than all that are done.
struct TrialResult {
  std::vector<Setting> settings;
  double loss = std::numeric_limits<double>::infinity();
};

struct TpeOptions {
  std::size_t startup = 10;     ///< so many trials are drawn at random
  double best_share = 0.15;     ///< of the trials, rounded up
  std::size_t candidates = 24;  ///< of which the best is taken
};

/// A search that proposes each trial from the results of those before it.
struct SearchPlan {
  std::vector<RandomParameter> parameters;
  std::size_t trials = 0, parallel = 2;
  std::uint64_t seed = 42;
  TpeOptions tpe;
};

/// Values for trial number `trial` (from 0 on). The same results give the same values.
std::vector<Setting> ProposeTrial(const std::vector<RandomParameter>& parameters,
                                  const std::vector<TrialResult>& results, std::size_t trial,
                                  std::uint64_t seed, const TpeOptions& options = {});

/// Where a value is on [0, 1]: what ValueAt gives back. Nothing for one that is not of the
/// distribution.
std::optional<double> PlaceOf(const Distribution& distribution, const Value& value);

/// The density on [0, 1] that is estimated from places there.
class ParzenDensity {
 public:
  explicit ParzenDensity(std::vector<double> places);
  double At(double place) const;
  double Draw(Random& random) const;

 private:
  struct Normal {
    double mean = 0, deviation = 1;
    double mass = 1;  ///< inside of [0, 1]
  };
  std::vector<Normal> normals_;
};

}  // namespace ebb::sweep
