#include "sweep/generated_file.h"

#include <map>

namespace ebb::sweep {

Result<std::vector<GeneratedFile>> FilePerExperiment(const Sweep& sweep,
                                                     const FileGenerator& generator) {
  std::vector<GeneratedFile> files;
  std::map<std::string, std::string> taken;
  for (const Experiment& experiment : sweep.experiments) {
    const std::string name = generator.target_name(experiment.name);
    const auto [other, is_new] = taken.emplace(name, experiment.name);
    if (!is_new)
      return Fail({ExitCode::kConfiguration,
                   other->second + " and " + experiment.name + " would both be called " + name, "",
                   "choose names of " + generator.good_names});
    files.push_back({name + generator.ending, generator.content(experiment)});
  }
  return files;
}

}  // namespace ebb::sweep
