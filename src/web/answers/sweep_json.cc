#include "web/answers/sweep_json.h"

#include <nlohmann/json.hpp>

#include "engine/state.h"
#include "service/sweep_facts.h"

namespace ebb::web {

using Json = nlohmann::ordered_json;

std::string SweepsToJson(const std::vector<SweepLine>& sweeps) {
  Json list = Json::array();
  for (const SweepLine& line : sweeps) {
    Json jobs = Json::object();
    for (const store::StageCount& count : line.jobs)
      jobs[std::string(engine::Name(count.stage))] = count.jobs;
    Json json{{"sweep", line.sweep.id},
              {"name", line.sweep.name},
              {"submitted", FormatTime(line.sweep.submitted)},
              {"jobs", std::move(jobs)}};
    if (const auto& halving = line.sweep.halving) {
      json["successive_halving"] = {{"reduction", halving->reduction},
                                    {"minimum_epochs", halving->minimum_epochs},
                                    {"epochs", halving->epochs}};
      const service::SavedByHalving saved = service::SavedBy(line.rungs);
      json["stopped_early"] = saved.stopped;
      json["estimated_saved_kwh"] = saved.energy.kwh();
      json["estimated_saved_g"] = saved.emissions.grams;
    }
    list.push_back(std::move(json));
  }
  return Json{{"sweeps", std::move(list)}}.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace ebb::web
