#pragma once
// The answers about jobs and the queue as JSON (docs/api.md).

#include "report/described_json.h"
#include "service/views/view.h"
#include "store/jobs/job_records.h"
#include "web/answers/site_choice_answer.h"

namespace ebb::web {

/// The answer about a job, made from its card or from its stored record.
struct JobAnswer {
  enum class Form {
    kRow,   ///< only the fields that a list of jobs and a chart of devices show
    kLine,  ///< the fields of a line in a list of jobs
    kWhole
  };
  const service::JobCard* card = nullptr;
  Form form = Form::kWhole;
  const store::JobRecord* record = nullptr;
  std::string power_cap{};  ///< sentence on the power limit that the job found or knew; empty: none
  std::vector<SiteChoiceAnswer> site_choices{};  ///< of a job that has not ended, if the service
                                                 ///< has several sites
  void Describe(report::DescribedJson& json) const;
};
struct Queue {
  std::vector<JobAnswer> jobs;
  std::optional<core::JobId> next;
  void Describe(report::DescribedJson& json) const;
};
std::string RecurringToJson(const service::View& view);
std::string SignalsToJson(const service::View& view);
std::string ErrorToJson(const Error& error);

}  // namespace ebb::web
