#include "sweep/successive_halving.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/text.h"

namespace ebb::sweep {
namespace {

// A loss that is not a number must not compare as the best.
double Comparable(double loss) {
  return std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
}

std::string Ordinal(std::size_t rank) {
  const std::size_t tens = rank % 100;
  const char* ending = tens / 10 == 1   ? "th"
                       : rank % 10 == 1 ? "st"
                       : rank % 10 == 2 ? "nd"
                       : rank % 10 == 3 ? "rd"
                                        : "th";
  return std::to_string(rank) + ending;
}

}  // namespace

std::vector<int> Rungs(const HalvingOptions& options) {
  EBB_CHECK(options.reduction >= 2 && options.minimum_epochs >= 1);
  std::vector<int> rungs;
  for (long long epoch = options.minimum_epochs; epoch < options.epochs; epoch *= options.reduction)
    rungs.push_back(static_cast<int>(epoch));
  return rungs;
}

std::string Sentence(const Verdict& verdict, double loss) {
  return std::string(verdict.stop ? "stopped" : "goes on") + " at epoch " +
         std::to_string(verdict.rung) + ": loss " + FormatSignificant(loss, 4) + " is " +
         Ordinal(verdict.rank) + " of " + std::to_string(verdict.reached) + ", the best " +
         std::to_string(verdict.kept) + (verdict.kept == 1 ? " goes on" : " go on");
}

std::string WhyStopped(const Verdict& verdict) {
  return "stopped by successive halving: rank " + std::to_string(verdict.rank) + " of " +
         std::to_string(verdict.reached) + " at epoch " + std::to_string(verdict.rung);
}

SuccessiveHalving::SuccessiveHalving(const HalvingOptions& options) : options_(options) {
  for (const int epoch : Rungs(options)) rungs_.push_back({epoch, {}});
}

std::optional<Verdict> SuccessiveHalving::Report(const std::string& run, int epoch, double loss) {
  // A run that did not report every epoch is judged at the highest rung it has reached.
  Rung* reached = nullptr;
  for (Rung& rung : rungs_) {
    if (rung.epoch <= epoch) reached = &rung;
  }
  if (!reached || !reached->losses.emplace(run, Comparable(loss)).second) return std::nullopt;
  Verdict verdict;
  verdict.rung = reached->epoch;
  verdict.reached = reached->losses.size();
  verdict.kept =
      std::max<std::size_t>(1, verdict.reached / static_cast<std::size_t>(options_.reduction));
  verdict.rank = 1;
  for (const auto& [other, value] : reached->losses) {
    if (value < Comparable(loss)) ++verdict.rank;
  }
  const bool first_ones = verdict.reached < static_cast<std::size_t>(options_.reduction);
  if (first_ones) verdict.kept = verdict.reached;
  verdict.stop = verdict.rank > verdict.kept;
  return verdict;
}

EstimatedSaving SavedBy(const StoppedRun& run, const HalvingOptions& options, Pue pue) {
  EBB_CHECK(options.epochs > 0);
  const double share =
      std::clamp(1.0 - static_cast<double>(run.epochs_run) / options.epochs, 0.0, 1.0);
  const Energy energy = Energy::Joules(run.power.watts * Seconds(run.duration) * share);
  return {energy, EmissionsOf(energy, pue, run.planned_intensity)};
}

}  // namespace ebb::sweep
