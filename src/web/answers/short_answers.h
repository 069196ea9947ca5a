#pragma once
// Short answers of the API: submissions that were accepted, actions that were carried out, and
// errors.

#include "core/jobs/submission.h"
#include "report/described_json.h"

namespace ebb::web {

struct Trouble {
  Error error;
  void Describe(report::DescribedJson& json) const {
    json.Is("Trouble", "What went wrong.");
    json("what", "in one sentence", error.what);
    json("where", "which key, or part", report::IfAny(error.where));
    json("next", "what to do", report::IfAny(error.next));
  }
};

struct ErrorAnswer {
  Trouble trouble;
  void Describe(report::DescribedJson& json) const {
    json.Is("Error", "It failed, or was refused.")("error", "why", trouble);
  }
};

struct TakenJob {
  core::JobId id = 0;
  bool existing = false;
  void Describe(report::DescribedJson& json) const {
    json.Is("TakenJob", "A job that was submitted.");
    json("id", "its number", id);
    json("existing", "an earlier submission had the same key", existing);
  }
};

struct TakenRecurring {
  Time next{};
  void Describe(report::DescribedJson& json) const {
    json.Is("TakenRecurring", "A recurring job that was submitted.")("next", "when it is due",
                                                                     next);
  }
};

/// The outcome of one submission.
using Taken = std::variant<TakenJob, TakenRecurring, ErrorAnswer>;

struct TakenJobs {
  std::vector<Taken> jobs;
  void Describe(report::DescribedJson& json) const {
    json.Is("TakenJobs", "A list that was submitted.")("jobs", "in the same order", jobs);
  }
};

/// The answer to a submission: a list of outcomes for a list, one outcome for one job.
using TakenOneOrMore = std::variant<TakenJobs, Taken>;

struct TakenSweep {
  core::SweepId sweep = 0;
  std::vector<Taken> jobs;
  void Describe(report::DescribedJson& json) const {
    json.Is("TakenSweep", "A sweep that was submitted.")("sweep", "its number", sweep);
    json("jobs", "in the same order", jobs);
  }
};

struct Done {
  core::JobId id = 0;
  void Describe(report::DescribedJson& json) const {
    json.Is("Done", "It is stored.")("id", "of the job; 0: of a recurring job", id);
  }
};

struct ChangedJob {
  core::Job job;
  void Describe(report::DescribedJson& json) const {
    json.Is("ChangedJob", "A job as it is after the change.")("id", "its number", job.id);
    json("name", "its name", job.name);
    json("tier", "the name of its tier", report::IfAny(job.tier));
    json("priority", "higher goes first", job.priority);
    json("threshold", "it starts at or below this intensity, in g CO2e per kWh", job.threshold);
    json("start_by", "its latest start; of a job without deadlines the service sets one",
         job.start_by);
    json("finish_by", "its deadline", job.finish_by);
    json("duration_s", "estimate", job.duration);
  }
};

struct DeviceDone {
  std::string device;
  void Describe(report::DescribedJson& json) const {
    json.Is("DeviceDone", "It is stored.")("device", "its UUID", device);
  }
};

struct SweepChanged {
  core::SweepId sweep = 0;
  void Describe(report::DescribedJson& json) const {
    json.Is("SweepChanged", "It is stored.")("sweep", "its number", sweep);
  }
};

struct SweepDone {
  core::SweepId sweep = 0;
  std::size_t cancelled = 0;
  void Describe(report::DescribedJson& json) const {
    json.Is("SweepDone", "It is stored.")("sweep", "its number", sweep);
    json("cancelled", "how many jobs had not ended", cancelled);
  }
};

}  // namespace ebb::web
