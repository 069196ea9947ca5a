#pragma once
// A generated file: its name and its content. The caller writes it.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/sweep.h"

namespace ebb::sweep {

struct GeneratedFile {
  std::string name;
  std::string content;
};

/// Describes how a target turns an experiment into a file.
struct FileGenerator {
  std::function<std::string(const std::string& name)> target_name;
  std::string ending;      ///< ".yaml"
  std::string good_names;  ///< names it accepts, for the Error: "at most 47 letters, ..."
  std::function<std::string(const Experiment&)> content;
};

/// Makes one file per experiment. Two files with one name are an Error.
Result<std::vector<GeneratedFile>> FilePerExperiment(const Sweep& sweep,
                                                     const FileGenerator& generator);

}  // namespace ebb::sweep
