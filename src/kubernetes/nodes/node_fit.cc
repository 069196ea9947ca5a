#include "kubernetes/nodes/node_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace ebb::kubernetes {
namespace {

// Tolerance for sums of fractions of a core.
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

// Places pods of one shape; returns how many of them find no node.
int Place(const PodShape& shape, NodeFit::Rooms& rooms) {
  int left = shape.pods;
  for (NodeRoom& node : rooms) {
    if (left == 0) break;
    if (!MayLieOn(node, shape)) continue;
    const int placed = HowMany(node, shape, left);
    node.gpus -= placed * shape.all_gpus();
    node.cores -= placed * shape.cores;
    node.taken |= placed > 0;
    left -= placed;
  }
  return left;
}

// Places the widest pods first, on the fullest existing nodes, so that wide gaps stay. Returns the
// first shape that finds no node.
const PodShape* Place(const PodRequests& requests, NodeFit::Rooms& rooms) {
  for (const PodShape& shape : requests.shapes) {
    const auto free = shape.all_gpus() > 0 ? &NodeRoom::gpus : &NodeRoom::cores;
    std::ranges::sort(rooms, {},
                      [&](const NodeRoom& room) { return std::pair(room.group >= 0, room.*free); });
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

// A single free GPU is always on some node, so only wider pods must be placed.
bool HasToBePlaced(const PodRequests& requests) {
  return requests.pods > 1 || std::ranges::any_of(requests.shapes, [](const PodShape& shape) {
           return shape.all_gpus() > 1;
         });
}

// The scheduler chooses the node of a single pod, so a single pod needs no placement here.
bool AnyTakesOne(const PodRequests& requests, const NodeFit::Rooms& rooms) {
  return std::ranges::all_of(requests.shapes, [&](const PodShape& shape) {
    return std::ranges::any_of(rooms, [&](const NodeRoom& node) {
      return MayLieOn(node, shape) && HowMany(node, shape, 1) == 1;
    });
  });
}

}  // namespace

NodeFit::NodeFit(std::function<Rooms(const PodRequests&, int)> rooms,
                 std::function<bool(core::JobId)> is_bound)
    : rooms_(std::move(rooms)), is_bound_(std::move(is_bound)) {}

NodeFit::Answer NodeFit::Look(const PodRequests& requests, int pool, Duration since_boot) {
  Rooms rooms = rooms_(requests, pool);
  const auto is_new = [](const NodeRoom& room) { return room.group >= 0; };
  if (HasToBePlaced(requests) || std::ranges::any_of(rooms, is_new)) {
    std::erase_if(releases_, [&](const Release& release) {
      return since_boot > release.until || is_bound_(release.job);
    });
    for (const Release& release : releases_)
      if (release.pool == pool) Place(release.requests, rooms);
  } else if (AnyTakesOne(requests, rooms)) {
    return {};
  }
  // A node that comes for others also has room for these pods.
  std::ranges::for_each(rooms, [](NodeRoom& room) { room.taken = false; });
  const PodShape* left = Place(requests, rooms);
  Answer answer;
  if (left) answer.why_not = WhyNoNode(*left, requests.shapes.size() == 1);
  for (const NodeRoom& room : rooms)
    if (is_new(room) && room.taken) answer.groups.insert(room.group);
  return answer;
}

void NodeFit::Forget(core::JobId job) {
  std::erase_if(releases_, [&](const Release& release) { return release.job == job; });
}

void NodeFit::Released(core::JobId job, const PodRequests& requests, int pool, Duration since_boot,
                       Duration bound_within) {
  if (requests.gpus > 0 || requests.pods > 1 || bound_within > kBoundWithin)
    releases_.push_back({job, requests, pool, since_boot + bound_within});
  while (!releases_.empty() && since_boot > releases_.front().until) releases_.pop_front();
}

}  // namespace ebb::kubernetes
