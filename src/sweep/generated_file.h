#pragma once
// What a generator makes: a file's name and its content. Writing it is the caller's business.

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

/// How a target makes the file of an experiment.
struct FileGenerator {
  std::function<std::string(const std::string& name)> target_name;
  std::string ending;      ///< ".yaml"
  std::string good_names;  ///< for the Error: "at most 47 lower-case letters, digits and '-'"
  std::function<std::string(const Experiment&)> content;
};

/// One file per experiment. Two of one name are an Error.
Result<std::vector<GeneratedFile>> FilePerExperiment(const Sweep& sweep,
                                                     const FileGenerator& generator);

}  // namespace ebb::sweep
