#pragma once
// Bayesian search by a tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl,
// NeurIPS 2011), which treats each parameter independently. The trials so far are split into the
// best ones and the others, and a density is estimated for each group. Candidates are drawn from
// the density of the best; the one with the largest ratio of the two densities is tried.
//
// Parameters are mapped to [0, 1], where their distribution is uniform (random_search.h). A density
// there is a mixture of the uniform one and a normal one around each trial, cut off at the ends.
// The density of choices is their relative frequency, with one added to each count. Pure.

#include <limits>
#include <optional>

#include "base/random.h"
#include "sweep/random_search.h"

namespace ebb::sweep {

/// A trial that has ended. A trial that failed or was stopped early ranks below all that were
/// completed.
struct TrialResult {
  std::vector<Setting> settings;
  double loss = std::numeric_limits<double>::infinity();
};

struct TpeOptions {
  std::size_t startup = 10;     ///< number of trials that are drawn at random
  double best_share = 0.15;     ///< share of the trials that count as the best, rounded up
  std::size_t candidates = 24;  ///< candidates drawn for each proposal
};

/// A search that proposes each trial from the results of earlier trials.
struct SearchPlan {
  std::vector<RandomParameter> parameters;
  std::size_t trials = 0, parallel = 2;
  std::uint64_t seed = 42;
  TpeOptions tpe;
};

/// Proposes values for trial number `trial` (from 0). The same results give the same values.
std::vector<Setting> ProposeTrial(const std::vector<RandomParameter>& parameters,
                                  const std::vector<TrialResult>& results, std::size_t trial,
                                  std::uint64_t seed, const TpeOptions& options = {});

/// The place of a value on [0, 1], the inverse of ValueAt. Nothing if the value does not belong to
/// the distribution.
std::optional<double> PlaceOf(const Distribution& distribution, const Value& value);

/// A density on [0, 1], estimated from places of trials.
class ParzenDensity {
 public:
  explicit ParzenDensity(std::vector<double> places);
  double At(double place) const;
  double Draw(Random& random) const;

 private:
  struct Normal {
    double mean = 0, deviation = 1;
    double mass = 1;  ///< share of the normal that lies in [0, 1]
  };
  std::vector<Normal> normals_;
};

}  // namespace ebb::sweep
