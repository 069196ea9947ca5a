#include "slurm/client/job_size.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::slurm {
namespace {

auto Refuse(std::string what) { return Fail({ExitCode::kUsage, std::move(what), "", ""}); }

bool IsOfGpus(std::string_view resource) {
  if (resource.starts_with("gres:") || resource.starts_with("gres/")) resource.remove_prefix(5);
  return resource == "gpu" || resource.starts_with("gpu:") || resource.starts_with("gpu=");
}

// "gres:gpu:a100:1" with 2 GPUs is "gres:gpu:a100:2"; other resources stay.
Result<std::string> WithGpus(const std::string& request, int count) {
  std::vector<std::string> resources;
  int of_gpus = 0;
  for (const std::string_view part : Split(request, ',')) {
    std::string resource(Trim(part));
    if (IsOfGpus(resource)) {
      ++of_gpus;
      const std::size_t last = resource.find_last_of(":=");
      const bool has_count =
          last != std::string::npos && ParseInteger(resource.substr(last + 1)).has_value();
      resource = has_count ? resource.substr(0, last + 1) : resource + ':';
      resource += std::to_string(count);
    }
    resources.push_back(std::move(resource));
  }
  if (of_gpus != 1) return Refuse("it asks for several kinds of GPUs");
  return Join(resources, ",");
}

}  // namespace

int DevicesOf(const SlurmJob& job) { return std::max(1, job.gpus > 0 ? job.gpus : job.cores); }

Result<std::vector<std::string>> SizeWords(const SlurmJob& job, int devices) {
  if (!job.leader.empty()) return Refuse("it is a heterogeneous job");
  if (job.gpus == 0) {
    if (job.tasks > 1) return Refuse("it asks for cores for several tasks");
    const std::string count = std::to_string(devices);
    return std::vector<std::string>{"NumCPUs=" + count, "CPUsPerTask=" + count};
  }
  switch (job.gpus_by) {
    case GpusBy::kJob: {
      EBB_ASSIGN_OR_RETURN(const std::string request, WithGpus(job.gpu_request, devices));
      return std::vector<std::string>{"TresPerJob=" + request};
    }
    case GpusBy::kNode: {
      if (devices % job.nodes != 0)
        return Refuse("it has " + std::to_string(job.nodes) + " nodes, which cannot share " +
                      std::to_string(devices) + " GPUs evenly");
      EBB_ASSIGN_OR_RETURN(const std::string request,
                           WithGpus(job.gpu_request, devices / job.nodes));
      return std::vector<std::string>{"TresPerNode=" + request};
    }
    case GpusBy::kTask:
      return Refuse("it asks for GPUs by task");
    case GpusBy::kNone:
      break;
  }
  return Refuse("how it asks for GPUs is not known");
}

}  // namespace ebb::slurm
