#include "web/answers/sweep_json.h"

#include "engine/state.h"
#include "service/sweeps/sweep_facts.h"

namespace ebb::web {
namespace {

struct Halving {
  sweep::HalvingOptions options;
  void Describe(report::DescribedJson& json) const {
    json.Is("Halving", "How a sweep stops experiments early.");
    json("reduction", "one in so many goes on after each rung", options.reduction);
    json("minimum_epochs", "of the first rung", options.minimum_epochs);
    json("epochs", "of the last rung", options.epochs);
  }
};

}  // namespace

void SweepLine::Describe(report::DescribedJson& json) const {
  using report::If;
  const service::SavedByHalving saved = service::SavedBy(rungs);
  const bool halves = sweep.halving.has_value();
  std::vector<std::pair<std::string_view, std::int64_t>> stages;
  for (const store::StageCount& count : jobs)
    stages.emplace_back(engine::Name(count.stage), count.jobs);
  json.Is("Sweep", "One sweep of the queue.")("sweep", "its number", sweep.id);
  json("name", "its name", sweep.name);
  json("submitted", "when it was submitted", sweep.submitted);
  json("jobs", "how many, by stage", stages);
  json("successive_halving", "how it stops experiments early",
       If(halves, Halving{sweep.halving.value_or(ebb::sweep::HalvingOptions())}));
  json("stopped_early", "how many experiments", If(halves, saved.stopped));
  json("estimated_saved_kwh", "by stopping them", If(halves, saved.energy));
  json("estimated_saved_g", "by stopping them, in g CO2e", If(halves, saved.emissions));
}

}  // namespace ebb::web
