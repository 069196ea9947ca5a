#include "report/simulation/simulation_text.h"

#include "base/wrapped_text.h"
#include "report/simulation/cost_table.h"
#include "report/simulation/place_table.h"

namespace ebb::report {

std::string SimulationText(const sim::Experiment& experiment, std::size_t columns) {
  std::string text = experiment.scenario.name;
  if (!experiment.scenario.description.empty()) text += ": " + experiment.scenario.description;
  text += "\n" + ExperimentSentence(experiment) + "\n";
  for (const std::string& sentence : SignalSentences(experiment)) text += sentence + "\n";
  for (const std::string& remark : Remarks(experiment)) text += remark + "\n";
  text = WrappedText(text, columns) + "\n" + AlignedTable(PolicyTable(experiment), columns) + "\n";
  std::string below;
  if (!experiment.comparison.bound_g.empty())
    below +=
        "captured: share of the hindsight saving, (run-now - policy) / (run-now - best), in grams "
        "summed over start dates; best: " +
        experiment.comparison.bound_method + "\n";
  below +=
      "saved: against run-now; worse: start dates that emit more than run-now; in brackets 95 % "
      "intervals, bootstrap over start dates\n"
      "idle: what free devices draw until the last job has ended; with idle: saved, with that draw "
      "on both sides\n";
  text += WrappedText(below, columns);
  if (const TextTable costs = CostTable(experiment); !costs.rows.empty())
    text += "\n" + AlignedTable(costs, columns);
  if (const std::string prices = PriceSentence(experiment); !prices.empty())
    text += WrappedText(prices + "\n", columns);
  if (const TextTable places = PlaceTable(experiment); !places.rows.empty())
    text += "\n" + AlignedTable(places, columns) + WrappedText(PlaceSentence() + "\n", columns);
  if (experiment.published.empty()) return text;
  return text + "\n" + WrappedText(experiment.scenario.published->source + "\n", columns) +
         AlignedTable(PublishedTable(experiment), columns);
}

}  // namespace ebb::report
