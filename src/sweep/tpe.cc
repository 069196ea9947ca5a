#include "sweep/tpe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ebb::sweep {
namespace {

double NormalBelow(double value) { return 0.5 * std::erfc(-value / std::numbers::sqrt2); }

// Estimates the probabilities of the choices of a parameter; choices are known by their number.
class Shares {
 public:
  Shares(std::size_t count, const std::vector<std::size_t>& seen) : counts_(count, 1.0) {
    for (const std::size_t number : seen) ++counts_[number];
    for (const double one : counts_) sum_ += one;
  }
  double At(std::size_t number) const { return counts_[number] / sum_; }
  std::size_t Draw(Random& random) const {
    double left = random.Uniform() * sum_;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((left -= counts_[i]) < 0) return i;
    return counts_.size() - 1;
  }

 private:
  std::vector<double> counts_;
  double sum_ = 0;
};

// Splits the indices of the results into the best and the others.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> Split(
    const std::vector<TrialResult>& results, double best_share) {
  std::vector<std::size_t> order(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return results[a].loss < results[b].loss; });
  const auto count = static_cast<double>(order.size());
  const auto best = static_cast<std::ptrdiff_t>(
      std::min(std::ceil(best_share * count), std::max(count - 1, 1.0)));
  return {{order.begin(), order.begin() + best}, {order.begin() + best, order.end()}};
}

std::vector<double> PlacesOf(const RandomParameter& parameter,
                             const std::vector<TrialResult>& results,
                             const std::vector<std::size_t>& numbers) {
  std::vector<double> places;
  for (const std::size_t number : numbers) {
    const Value* value = FindValue(results[number].settings, parameter.name);
    if (!value) continue;
    if (const auto place = PlaceOf(parameter.values, *value)) places.push_back(*place);
  }
  return places;
}

// Draws candidates and returns the one with the largest ratio of the first density to the second.
template <typename Density, typename Candidate>
Candidate BestOf(const Density& best, const Density& others, std::size_t candidates, Random& random,
                 Candidate chosen) {
  double highest = -1;
  for (std::size_t i = 0; i < candidates; ++i) {
    const Candidate candidate = best.Draw(random);
    const double ratio = best.At(candidate) / others.At(candidate);
    if (ratio <= highest) continue;
    highest = ratio;
    chosen = candidate;
  }
  return chosen;
}

Value Propose(const RandomParameter& parameter, const std::vector<double>& best,
              const std::vector<double>& others, std::size_t candidates, Random& random) {
  const auto* choice = std::get_if<ChoiceOfValues>(&parameter.values);
  if (!choice)
    return ValueAt(parameter.values,
                   BestOf(ParzenDensity(best), ParzenDensity(others), candidates, random, 0.0));
  const std::size_t count = choice->values.size();
  const auto numbers = [&](const std::vector<double>& places) {
    std::vector<std::size_t> all;
    for (const double place : places)
      all.push_back(static_cast<std::size_t>(place * static_cast<double>(count)));
    return all;
  };
  return choice->values[BestOf(Shares(count, numbers(best)), Shares(count, numbers(others)),
                               candidates, random, std::size_t{0})];
}

}  // namespace

std::optional<double> PlaceOf(const Distribution& distribution, const Value& value) {
  const auto inside = [](double place) -> std::optional<double> {
    if (!(place >= -1e-6 && place <= 1 + 1e-6))
      return std::nullopt;  // a tolerance for rounded values
    return std::clamp(place, 0.0, 1.0);
  };
  if (const auto* choice = std::get_if<ChoiceOfValues>(&distribution)) {
    for (std::size_t i = 0; i < choice->values.size(); ++i)
      if (choice->values[i].text == value.text)
        return (static_cast<double>(i) + 0.5) / static_cast<double>(choice->values.size());
    return std::nullopt;
  }
  if (!value.number) return std::nullopt;
  const double number = *value.number;
  if (const auto* d = std::get_if<UniformValues>(&distribution))
    return inside((number - d->low) / (d->high - d->low));
  if (const auto* d = std::get_if<LogUniformValues>(&distribution)) {
    if (!(number > 0)) return std::nullopt;
    return inside(std::log(number / d->low) / std::log(d->high / d->low));
  }
  const auto& d = std::get<IntegerValues>(distribution);
  const double low = static_cast<double>(d.low), high = static_cast<double>(d.high);
  return inside((number - low + 0.5) / (high - low + 1));
}

// Each normal is as wide as the larger distance to a neighbour, within limits that keep a few
// trials from counting too much.
ParzenDensity::ParzenDensity(std::vector<double> places) {
  std::sort(places.begin(), places.end());
  const double narrowest = 1.0 / std::min(100.0, 1.0 + static_cast<double>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double left = places[i] - (i > 0 ? places[i - 1] : 0.0);
    const double right = (i + 1 < places.size() ? places[i + 1] : 1.0) - places[i];
    Normal normal{places[i], std::clamp(std::max(left, right), narrowest, 1.0), 1};
    normal.mass = NormalBelow((1 - normal.mean) / normal.deviation) -
                  NormalBelow(-normal.mean / normal.deviation);
    normals_.push_back(normal);
  }
}

double ParzenDensity::At(double place) const {
  double density = 1;  // density of the uniform part
  for (const Normal& normal : normals_) {
    const double away = (place - normal.mean) / normal.deviation;
    density += std::exp(-0.5 * away * away) /
               (std::sqrt(2 * std::numbers::pi) * normal.deviation * normal.mass);
  }
  return density / static_cast<double>(normals_.size() + 1);
}

double ParzenDensity::Draw(Random& random) const {
  const std::size_t part = random.Below(normals_.size() + 1);
  if (part == normals_.size()) return random.Uniform();
  const Normal& normal = normals_[part];
  // At least about a third of each normal lies inside, so the loop ends soon.
  for (;;) {
    const double place = normal.mean + normal.deviation * random.Normal();
    if (place >= 0 && place < 1) return place;
  }
}

std::vector<Setting> ProposeTrial(const std::vector<RandomParameter>& parameters,
                                  const std::vector<TrialResult>& results, std::size_t trial,
                                  std::uint64_t seed, const TpeOptions& options) {
  if (trial < options.startup || results.size() < 2)
    return DrawTrials(parameters, trial + 1, seed).back();
  const auto [best, others] = Split(results, options.best_share);
  Random random(SeedFor(seed, trial));
  std::vector<Setting> settings;
  for (const RandomParameter& parameter : parameters)
    settings.push_back({parameter.name,
                        Propose(parameter, PlacesOf(parameter, results, best),
                                PlacesOf(parameter, results, others), options.candidates, random)});
  return settings;
}

}  // namespace ebb::sweep
