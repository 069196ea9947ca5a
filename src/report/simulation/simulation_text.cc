#include "report/simulation/simulation_text.h"

#include "report/simulation/cost_table.h"

namespace ebb::report {

std::string SimulationText(const sim::Experiment& experiment, std::size_t columns) {
  std::string text = experiment.scenario.name;
  if (!experiment.scenario.description.empty()) text += ": " + experiment.scenario.description;
  text += "\n" + ExperimentSentence(experiment) + "\n";
  for (const std::string& sentence : SignalSentences(experiment)) text += sentence + "\n";
  for (const std::string& remark : Remarks(experiment)) text += remark + "\n";
  text += "\n" + AlignedTable(PolicyTable(experiment), columns) + "\n";
  if (!experiment.comparison.bound_g.empty())
    text +=
        "captured: share of the hindsight saving, (run-now - policy) / (run-now - best), in grams "
        "summed over start dates; best: " +
        experiment.comparison.bound_method + "\n";
  text +=
      "saved: against run-now; worse: start dates that emit more than run-now; in brackets 95 % "
      "intervals, bootstrap over start dates\n"
      "idle: what free devices draw until the last job has ended; with idle: saved, with that draw "
      "on both sides\n";
  if (const TextTable costs = CostTable(experiment); !costs.rows.empty())
    text += "\n" + AlignedTable(costs, columns);
  if (const std::string prices = PriceSentence(experiment); !prices.empty()) text += prices + "\n";
  if (experiment.published.empty()) return text;
  return text + "\n" + experiment.scenario.published->source + "\n" +
         AlignedTable(PublishedTable(experiment), columns);
}

}  // namespace ebb::report
