#include "config/job_option_rules.h"

namespace ebb::config {

SectionTable<core::Submission> JobOptionTable(core::Place place) {
  SectionTable<core::Submission> table;
  for (const core::JobOption& option : core::JobOptions())
    if (option.set && option.StandsIn(place))
      table.push_back(KeyWith<core::Submission>(option.field, {option.set, option.get}));
  return table;
}

}  // namespace ebb::config
