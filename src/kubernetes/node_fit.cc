#include "kubernetes/node_fit.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace ebb::kubernetes {
namespace {

// After that its pods are bound, or wait for something else than GPUs and cores.
constexpr std::chrono::seconds kBoundWithin{30};
// Of sums of fractions of a core.
constexpr double kRounding = 1e-6;

bool MayLieOn(const NodeRoom& node, const PodShape& shape) {
  if (shape.all_gpus() <= 0) return true;
  return shape.gpu_model.empty() ? node.in_pool : node.gpu_model == shape.gpu_model;
}

int HowMany(const NodeRoom& node, const PodShape& shape, int most) {
  const auto limit = [&](double free, double each) {
    if (each <= 0) return;
    most = static_cast<int>(std::clamp(std::floor((free + kRounding) / each), 0.0, 1.0 * most));
  };
  limit(node.gpus, shape.all_gpus());
  limit(node.cores, shape.cores);
  return most;
}

// How many of the pods find no node.
int Place(const PodShape& shape, NodeFit::Rooms& rooms) {
  int left = shape.pods;
  for (NodeRoom& node : rooms) {
    if (left == 0) break;
    if (!MayLieOn(node, shape)) continue;
    const int placed = HowMany(node, shape, left);
    node.gpus -= placed * shape.all_gpus();
    node.cores -= placed * shape.cores;
    left -= placed;
  }
  return left;
}

// The widest first, on the fullest nodes, so that wide gaps stay. The first that finds none.
const PodShape* Place(const PodRequests& requests, NodeFit::Rooms& rooms) {
  for (const PodShape& shape : requests.shapes) {
    const auto free = shape.all_gpus() > 0 ? &NodeRoom::gpus : &NodeRoom::cores;
    std::ranges::sort(rooms, {}, free);
    if (Place(shape, rooms) > 0) return &shape;
  }
  return nullptr;
}

std::string Told(double count, const char* one) {
  return FormatExact(count) + " " + one + (count == 1 ? "" : "s");
}

std::string WhyNoNode(const PodShape& shape, bool is_only) {
  std::string what;
  if (shape.all_gpus() > 0) what = Told(shape.all_gpus(), "GPU");
  if (!shape.gpu_model.empty()) what += " (" + shape.gpu_model + ")";
  if (shape.cores > 0) what += (what.empty() ? "" : " and ") + Told(shape.cores, "core");
  if (what.empty()) return "no node takes its pods";
  return "no node has the " + what + " free that " +
         (is_only ? "each of its pods needs" : "one of its pods needs");
}

// One GPU that is free lies on some node.
bool HasToBePlaced(const PodRequests& requests) {
  return requests.pods > 1 || std::ranges::any_of(requests.shapes, [](const PodShape& shape) {
           return shape.all_gpus() > 1;
         });
}

}  // namespace

NodeFit::NodeFit(std::function<Rooms(const PodRequests&, int)> rooms,
                 std::function<bool(core::JobId)> is_bound)
    : rooms_(std::move(rooms)), is_bound_(std::move(is_bound)) {}

std::string NodeFit::WhyNot(const PodRequests& requests, int pool, Duration since_boot) {
  Rooms rooms = rooms_(requests, pool);
  if (HasToBePlaced(requests)) {
    std::erase_if(releases_, [&](const Release& release) {
      return since_boot - release.at > kBoundWithin || is_bound_(release.job);
    });
    for (const Release& release : releases_)
      if (release.pool == pool) Place(release.requests, rooms);
  }
  const PodShape* left = Place(requests, rooms);
  return left ? WhyNoNode(*left, requests.shapes.size() == 1) : "";
}

void NodeFit::Released(core::JobId job, const PodRequests& requests, int pool,
                       Duration since_boot) {
  if (requests.gpus > 0 || requests.pods > 1)
    releases_.push_back({job, requests, pool, since_boot});
  while (!releases_.empty() && since_boot - releases_.front().at > kBoundWithin)
    releases_.pop_front();
}

}  // namespace ebb::kubernetes
