#include "kubernetes/node_fit.h"

#include <algorithm>
#include <cmath>

namespace ebb::kubernetes {
namespace {

// After that its pods are bound, or wait for something else than GPUs.
constexpr std::chrono::seconds kBoundWithin{30};

// As many pods with the most GPUs as all its GPUs make. False: not all of them find a node.
bool Place(const PodRequests& requests, std::vector<double>& free) {
  auto left = static_cast<int>(std::floor(requests.gpus / requests.most_gpus));
  std::ranges::sort(free);  // the fullest first, so that wide gaps stay
  for (double& gpus : free)
    for (; left > 0 && gpus >= requests.most_gpus; --left) gpus -= requests.most_gpus;
  return left == 0;
}

}  // namespace

NodeFit::NodeFit(std::function<std::vector<double>(int pool)> free,
                 std::function<bool(core::JobId)> is_bound)
    : free_(std::move(free)), is_bound_(std::move(is_bound)) {}

// One GPU that is free lies on some node.
bool NodeFit::Fits(const PodRequests& requests, int pool, Duration since_boot) {
  if (requests.most_gpus <= 1) return true;
  std::erase_if(releases_, [&](const Release& release) {
    return since_boot - release.at > kBoundWithin || is_bound_(release.job);
  });
  std::vector<double> free = free_(pool);
  for (const Release& release : releases_)
    if (release.pool == pool) Place(release.requests, free);
  return Place(requests, free);
}

void NodeFit::Released(core::JobId job, const PodRequests& requests, int pool,
                       Duration since_boot) {
  if (requests.most_gpus > 0) releases_.push_back({job, requests, pool, since_boot});
  while (!releases_.empty() && since_boot - releases_.front().at > kBoundWithin)
    releases_.pop_front();
}

}  // namespace ebb::kubernetes
