#include "kubernetes/fake_api_server_for_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/time.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

struct Request {
  std::string method, path, body, content_type;
  std::map<std::string, std::string> query;
};

// "/apis/batch/v1/namespaces/default/jobs/x" -> {"/apis/batch/v1/jobs", "default", "x"}.
struct Target {
  std::string collection, name_space, name;
};

Target TargetOf(std::string path) {
  Target target;
  if (path.ends_with("/status")) path.resize(path.rfind('/'));
  if (const auto at = path.find("/namespaces/"); at != std::string::npos) {
    const auto begin = at + std::string("/namespaces/").size();
    const auto end = path.find('/', begin);
    if (end != std::string::npos) {
      target.name_space = path.substr(begin, end - begin);
      path.erase(at, end - at);
    }
  }
  const auto slashes = path.starts_with("/api/") ? 4 : 5;
  if (std::ranges::count(path, '/') == slashes) {
    target.name = path.substr(path.rfind('/') + 1);
    path.resize(path.rfind('/'));
  }
  target.collection = path;
  return target;
}

Json StatusObject(int code, const std::string& message) {
  return {{"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"message", message}};
}

// A template of Pods with the parts of another that the API server lets change.
Json WithMutableParts(Json pods, const Json& of, bool scheduling, bool resources) {
  const auto take = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    if (of.contains(place))
      pods[place] = of[place];
    else if (pods.contains(place))
      pods[place.parent_pointer()].erase(place.back());
  };
  if (scheduling)
    for (const char* place : {"/metadata/labels", "/metadata/annotations", "/spec/nodeSelector",
                              "/spec/tolerations", "/spec/schedulingGates", "/spec/affinity"})
      take(place);
  for (std::size_t i = 0; resources && i < pods["spec"]["containers"].size(); ++i)
    take(("/spec/containers/" + std::to_string(i) + "/resources").c_str());
  // The API server knows no difference between an empty object and none.
  if (pods.contains("metadata") && pods["metadata"].empty()) pods.erase("metadata");
  return pods;
}

// The rules of batch/v1 about changes of a Job (ValidateJobSpecUpdate of Kubernetes 1.36); empty:
// the change is allowed.
std::string WhyInvalid(const Json& before, const Json& now, bool changes_requests) {
  const Json& spec = now["spec"];
  const Json& old = before["spec"];
  const auto differs = [&](const char* key) {
    return spec.value(key, Json()) != old.value(key, Json());
  };
  for (const char* key : {"completionMode", "selector"})
    if (differs(key)) return std::string("spec.") + key + ": Invalid value: field is immutable";
  if (differs("completions")) {
    if (spec.value("completionMode", "NonIndexed") != "Indexed")
      return "spec.completions: Invalid value: field is immutable";
    if (spec["completions"] != spec.value("parallelism", Json()))
      return "spec.completions: Invalid value: can only be modified in tandem with "
             "spec.parallelism";
  }
  const bool suspended = old.value("suspend", false);
  const Json status = before.value("status", Json::object());
  const bool stands_still = suspended && status.value("active", 0) == 0;
  const bool scheduling =
      suspended && (!status.contains("startTime") || (changes_requests && stands_still));
  const Json pods = spec.value("template", Json::object());
  const Json allowed = WithMutableParts(old.value("template", Json::object()), pods, scheduling,
                                        changes_requests && stands_still);
  return allowed == pods ? "" : "spec.template: Invalid value: field is immutable";
}

struct Change {
  std::int64_t version;
  std::string type, collection;
  Json object;
};

}  // namespace

class FakeApiServer::Implementation {
 public:
  Implementation() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 64);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
    controller_ = std::thread([this] { Control(); });
  }

  ~Implementation() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    changed_.notify_all();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    controller_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }

  int port() const { return port_; }

  Json Create(const std::string& collection, Json object) {
    const std::lock_guard lock(mutex_);
    Json& metadata = object["metadata"];
    if (collection != "/api/v1/nodes" && collection != "/api/v1/namespaces")
      metadata.emplace("namespace", "default");
    metadata.emplace("uid", "uid-" + std::to_string(++last_uid_));
    metadata.emplace("creationTimestamp",
                     FormatTime(std::chrono::floor<std::chrono::seconds>(platform::WallNow())));
    return Put("ADDED", collection, std::move(object));
  }

  void Delete(const std::string& collection, const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_[collection].find(name);
    if (found == objects_[collection].end()) return;
    Json object = found->second;
    objects_[collection].erase(found);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    Tell({version_, "DELETED", collection, std::move(object)});
  }

  Json Get(const std::string& collection, const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto kind = objects_.find(collection);
    if (kind == objects_.end() || !kind->second.contains(name)) return nullptr;
    return kind->second.at(name);
  }

  void Patch(const std::string& collection, const std::string& name, const Json& patch) {
    const std::lock_guard lock(mutex_);
    Json object = objects_[collection].at(name);
    object.merge_patch(patch);
    Put("MODIFIED", collection, std::move(object));
  }

  void With(const std::function<void()>& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }
  template <typename Get>
  auto Of(Get get) const {
    const std::lock_guard lock(mutex_);
    return get();
  }

  void CutAll() {
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }

  // Guarded by the mutex.
  std::map<std::string, Course> courses;
  std::deque<std::size_t> cuts;
  std::int64_t oldest = 0;
  int refuse_status = 0, refuse_left = 0;
  std::map<std::string, int> refused_patches, lost_answers;
  std::map<std::string, Json> answers;
  bool streams_lists = true, away = false, changes_requests = false;
  Counts counts;
  std::map<std::string, std::vector<Json>> patches;
  std::int64_t version() const { return version_; }

 private:
  Json Put(const std::string& type, const std::string& collection, Json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    objects_[collection][object["metadata"]["name"].get<std::string>()] = object;
    Tell({version_, type, collection, object});
    return object;
  }

  void Tell(Change change) {
    history_.push_back(std::move(change));
    changed_.notify_all();
  }

  // Behaviour of controllers --------------------------------------------------------------------

  void Control() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      auto& jobs = objects_["/apis/batch/v1/jobs"];
      std::vector<Json> changed;
      for (const auto& [name, job] : jobs)
        if (auto next = AfterStep(job)) changed.push_back(*std::move(next));
      for (Json& job : changed) Put("MODIFIED", "/apis/batch/v1/jobs", std::move(job));
      changed_.wait_for(lock, 5ms);
    }
  }

  // Pods are created at the release, removed by a hold, and end in the way that the course says.
  std::optional<Json> AfterStep(const Json& job) const {
    Json next = job;
    Json& status = next["status"];
    if (status.is_null()) status = Json::object();
    if (status.contains("conditions")) return std::nullopt;
    const int active = status.value("active", 0);
    if (job["spec"].value("suspend", false)) {
      if (active == 0) return std::nullopt;
      status["active"] = 0;
      status.erase("startTime");
      return next;
    }
    if (active == 0) {
      status["active"] = job["spec"].value("parallelism", 1);
      status["startTime"] = FormatTime(platform::WallNow());
      return next;
    }
    const auto course = courses.find(job["metadata"]["name"].get<std::string>());
    if (course == courses.end() || course->second == Course::kRuns) return std::nullopt;
    status["active"] = 0;
    status["conditions"] = {{{"type", course->second == Course::kSucceeds ? "Complete" : "Failed"},
                             {"status", "True"}}};
    return next;
  }

  // Connections --------------------------------------------------------------------------------

  void Accept() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const std::lock_guard lock(mutex_);
      if (stopping_ || away) {
        ::close(socket);
        if (stopping_) return;
        continue;
      }
      sockets_.insert(socket);
      std::optional<std::size_t> cut;
      if (!cuts.empty()) {
        cut = cuts.front();
        cuts.pop_front();
      }
      threads_.emplace_back([this, socket, cut] { Serve(socket, cut); });
    }
  }

  struct Connection {
    int socket;
    std::optional<std::size_t> left;  // bytes until it is cut
    bool Send(const std::string& bytes) {
      const std::size_t size = left ? std::min(*left, bytes.size()) : bytes.size();
      std::size_t sent = 0;
      while (sent < size) {
        const ssize_t n = ::send(socket, bytes.data() + sent, size - sent, MSG_NOSIGNAL);
        if (n <= 0) return false;
        sent += static_cast<std::size_t>(n);
      }
      if (left) *left -= size;
      return size == bytes.size();
    }
    bool SendAnswer(int status, const std::string& body) {
      return Send("HTTP/1.1 " + std::to_string(status) +
                  " X\r\nContent-Type: application/json\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    bool SendChunk(const std::string& text) {
      char size[32];
      std::snprintf(size, sizeof size, "%zx\r\n", text.size());
      return Send(size + text + "\r\n");
    }
  };

  void Serve(int socket, std::optional<std::size_t> cut) {
    Connection connection{socket, cut};
    std::string input;
    while (auto request = ReadRequest(socket, input))
      if (!Answer(connection, *request)) break;
    const std::lock_guard lock(mutex_);
    sockets_.erase(socket);
    ::close(socket);
  }

  std::optional<Request> ReadRequest(int socket, std::string& input) const {
    for (;;) {
      const auto end = input.find("\r\n\r\n");
      if (end != std::string::npos) {
        std::size_t length = 0;
        if (const auto at = input.find("Content-Length: "); at != std::string::npos && at < end)
          length = std::stoul(input.substr(at + 16));
        if (input.size() >= end + 4 + length) {
          Request request = Parse(input.substr(0, end));
          if (const auto at = input.find("Content-Type: "); at != std::string::npos && at < end)
            request.content_type = input.substr(at + 14, input.find('\r', at) - at - 14);
          request.body = input.substr(end + 4, length);
          input.erase(0, end + 4 + length);
          return request;
        }
      }
      char buffer[8192];
      const ssize_t size = ::recv(socket, buffer, sizeof buffer, 0);
      if (size <= 0) return std::nullopt;
      input.append(buffer, static_cast<std::size_t>(size));
    }
  }

  static Request Parse(const std::string& head) {
    Request request;
    const auto space = head.find(' '), end = head.find(' ', space + 1);
    request.method = head.substr(0, space);
    std::string target = head.substr(space + 1, end - space - 1);
    const auto mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark == std::string::npos) return request;
    std::string rest = target.substr(mark + 1);
    while (!rest.empty()) {
      const auto and_ = rest.find('&');
      const std::string pair = rest.substr(0, and_);
      request.query[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
      rest = and_ == std::string::npos ? "" : rest.substr(and_ + 1);
    }
    return request;
  }

  bool Answer(Connection& connection, const Request& request) {
    const Target target = TargetOf(request.path);
    if (request.method == "GET" && request.query.contains("watch"))
      return Watch(connection, request, target);
    std::unique_lock lock(mutex_);
    if (refuse_left > 0) {
      --refuse_left;
      const int status = refuse_status;
      lock.unlock();
      return connection.SendAnswer(status, StatusObject(status, "not now").dump());
    }
    const bool is_group = std::ranges::count(request.path, '/') == 2;
    const auto [status, body] = request.method == "GET" && answers.contains(request.path)
                                    ? std::pair(200, answers.at(request.path))
                                : is_group ? std::pair(404, StatusObject(404, "not found"))
                                : request.method == "PATCH" ? TakePatch(request, target)
                                : request.method != "GET"   ? TakeObject(request, target)
                                : target.name.empty()       ? List(request, target)
                                                            : Read(target);
    lock.unlock();
    return connection.SendAnswer(status, body.dump());
  }

  std::pair<int, Json> TakePatch(const Request& request, const Target& target) {
    ++counts.patches;
    auto& objects = objects_[target.collection];
    const auto found = objects.find(target.name);
    if (found == objects.end()) return {404, StatusObject(404, "not found")};
    if (const auto refused = refused_patches.find(target.name); refused != refused_patches.end())
      return {refused->second, StatusObject(refused->second, "the fake server refuses")};
    Json patch = Json::parse(request.body);
    patches[target.name].push_back(patch);
    Json object = found->second;
    const Json metadata = patch.is_object() ? patch.value("metadata", Json::object()) : Json();
    if (metadata.contains("resourceVersion") &&
        metadata["resourceVersion"] != object["metadata"]["resourceVersion"])
      return {409, StatusObject(409, "the object has been modified")};
    if (request.query.contains("fieldManager")) {
      MergeList(object, patch, "admissionChecks", "name");
      MergeList(object, patch, "conditions", "type");
    }
    if (request.content_type == "application/json-patch+json") {
      try {
        object = object.patch(patch);
      } catch (const Json::exception& refused) {
        ++counts.refused_patches;
        return {422, StatusObject(422, refused.what())};
      }
    } else {
      object.merge_patch(patch);
    }
    // A JSON patch may replace the version by the one that it wants.
    if (object["metadata"]["resourceVersion"] != found->second["metadata"]["resourceVersion"])
      return {409, StatusObject(409, "the object has been modified")};
    if (target.collection == "/apis/batch/v1/jobs")
      if (std::string why = WhyInvalid(found->second, object, changes_requests); !why.empty()) {
        ++counts.refused_patches;
        return {422, StatusObject(422, "Job.batch \"" + target.name + "\" is invalid: " + why)};
      }
    Json made = Put("MODIFIED", target.collection, std::move(object));
    if (const auto lost = lost_answers.find(target.name); lost != lost_answers.end())
      if (lost->second-- > 0) return {504, StatusObject(504, "the answer was lost")};
    return {200, std::move(made)};
  }

  // A list of the status whose entries have a key: others stay.
  static void MergeList(Json& object, Json& patch, const char* list, const char* key) {
    if (!patch["status"].contains(list)) return;
    Json& entries = object["status"][list];
    if (entries.is_null()) entries = Json::array();
    for (const Json& told : patch["status"][list]) {
      const auto is_same = [&](const Json& entry) { return entry[key] == told[key]; };
      const auto found = std::ranges::find_if(entries, is_same);
      if (found == entries.end())
        entries.push_back(told);
      else
        *found = told;
    }
    patch["status"].erase(list);
  }

  // POST of what is new, PUT of what has this version.
  std::pair<int, Json> TakeObject(const Request& request, const Target& target) {
    Json object = Json::parse(request.body);
    const std::string name = object["metadata"]["name"];
    const auto found = objects_[target.collection].find(name);
    const bool exists = found != objects_[target.collection].end();
    if (request.method == "POST") ++counts.posts;
    if (request.method == "POST")
      return exists ? std::pair(409, StatusObject(409, "exists"))
                    : std::pair(201, Put("ADDED", target.collection, std::move(object)));
    if (!exists) return {404, StatusObject(404, "not found")};
    if (found->second["metadata"]["resourceVersion"] != object["metadata"]["resourceVersion"])
      return {409, StatusObject(409, "has been changed")};
    return {200, Put("MODIFIED", target.collection, std::move(object))};
  }

  std::pair<int, Json> Read(const Target& target) {
    const auto found = objects_[target.collection].find(target.name);
    if (found == objects_[target.collection].end()) return {404, StatusObject(404, "not found")};
    return {200, found->second};
  }

  std::pair<int, Json> List(const Request& request, const Target& target) {
    ++counts.lists;
    Json items = Json::array();
    const auto& objects = objects_[target.collection];
    auto next = objects.begin();
    if (const auto token = request.query.find("continue"); token != request.query.end())
      next = objects.upper_bound(token->second);
    const auto limit = request.query.find("limit");
    const std::size_t most = limit == request.query.end() ? 500 : std::stoul(limit->second);
    Json metadata{{"resourceVersion", std::to_string(version_)}};
    if (const auto selector = request.query.find("fieldSelector");
        selector != request.query.end()) {
      const auto found = objects.find(selector->second.substr(selector->second.find('=') + 1));
      if (found != objects.end()) items.push_back(found->second);
      next = objects.end();
    }
    for (; next != objects.end() && items.size() < most; ++next) {
      items.push_back(next->second);
      metadata["continue"] = next->first;
    }
    if (next == objects.end()) metadata.erase("continue");
    return {200, {{"metadata", metadata}, {"items", items}}};
  }

  bool Watch(Connection& connection, const Request& request, const Target& target) {
    std::unique_lock lock(mutex_);
    ++counts.watches;
    const bool initial = request.query.contains("sendInitialEvents");
    if (initial && !streams_lists) {
      lock.unlock();
      return connection.SendAnswer(400, StatusObject(400, "sendInitialEvents is unknown").dump());
    }
    std::string text;
    const auto add = [&text](const std::string& type, const Json& object) {
      text += Json{{"type", type}, {"object", object}}.dump() + "\n";
    };
    std::int64_t seen = version_;
    if (initial) {
      for (const auto& [name, object] : objects_[target.collection]) add("ADDED", object);
      add("BOOKMARK", {{"metadata",
                        {{"resourceVersion", std::to_string(version_)},
                         {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}});
    } else {
      seen = std::stoll(request.query.at("resourceVersion"));
    }
    const bool too_old = !initial && seen < oldest;
    if (too_old) add("ERROR", StatusObject(410, "too old resource version"));
    lock.unlock();
    if (!connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")) return false;
    if (!text.empty() && !connection.SendChunk(text)) return false;
    if (too_old) {
      connection.Send("0\r\n\r\n");
      return true;
    }
    return Follow(connection, target.collection, seen);
  }

  bool Follow(Connection& connection, const std::string& collection, std::int64_t seen) {
    std::unique_lock lock(mutex_);
    while (!stopping_ && !away) {
      std::string text;
      const auto first = std::ranges::upper_bound(history_, seen, {}, &Change::version);
      for (auto change = first; change != history_.end(); ++change)
        if (change->collection == collection)
          text += Json{{"type", change->type}, {"object", change->object}}.dump() + "\n";
      if (!history_.empty()) seen = std::max(seen, history_.back().version);
      if (!text.empty()) {
        lock.unlock();
        if (!connection.SendChunk(text)) return false;
        lock.lock();
        continue;
      }
      changed_.wait_for(lock, 20ms);
      lock.unlock();
      pollfd waits{connection.socket, POLLIN, 0};
      if (::poll(&waits, 1, 0) > 0) return false;  // the client has gone
      lock.lock();
    }
    return false;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int listener_ = -1, port_ = 0;
  bool stopping_ = false;
  std::int64_t version_ = 1;
  int last_uid_ = 0;
  std::map<std::string, std::map<std::string, Json>> objects_;  // collection -> name
  std::deque<Change> history_;
  std::set<int> sockets_;
  std::thread acceptor_, controller_;
  std::list<std::thread> threads_;
};

FakeApiServer::FakeApiServer() : implementation_(std::make_unique<Implementation>()) {}
FakeApiServer::~FakeApiServer() = default;

std::string FakeApiServer::url() const {
  return "http://127.0.0.1:" + std::to_string(implementation_->port());
}
Json FakeApiServer::Create(const std::string& collection, Json object) {
  return implementation_->Create(collection, std::move(object));
}
void FakeApiServer::Delete(const std::string& collection, const std::string& name) {
  implementation_->Delete(collection, name);
}
Json FakeApiServer::Get(const std::string& collection, const std::string& name) const {
  return implementation_->Get(collection, name);
}
void FakeApiServer::Patch(const std::string& collection, const std::string& name,
                          const Json& patch) {
  implementation_->Patch(collection, name, patch);
}
void FakeApiServer::SetAnswer(const std::string& path, Json answer) {
  implementation_->With([&] { implementation_->answers[path] = std::move(answer); });
}
void FakeApiServer::SetCourse(const std::string& name, Course course) {
  implementation_->With([&] { implementation_->courses[name] = course; });
}
Json FakeApiServer::CreatePod(const std::string& name, const std::string& job, int gpus,
                              const std::string& node) {
  Json containers = Json::array();
  if (gpus > 0)
    containers.push_back({{"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}});
  return Create(
      "/api/v1/pods",
      {{"metadata", {{"name", name}, {"labels", {{"batch.kubernetes.io/job-name", job}}}}},
       {"spec", {{"nodeName", node}, {"containers", std::move(containers)}}},
       {"status", {{"phase", "Running"}}}});
}
void FakeApiServer::CutAfter(std::vector<std::size_t> bytes) {
  implementation_->With([&] {
    implementation_->cuts.insert(implementation_->cuts.end(), bytes.begin(), bytes.end());
  });
}
void FakeApiServer::CutAll() {
  implementation_->With([&] { implementation_->CutAll(); });
}
void FakeApiServer::ForgetHistory() {
  implementation_->With([&] { implementation_->oldest = implementation_->version(); });
}
void FakeApiServer::Refuse(int status, int requests) {
  implementation_->With([&] {
    implementation_->refuse_status = status;
    implementation_->refuse_left = requests;
  });
}
void FakeApiServer::LoseAnswers(const std::string& name, int patches) {
  implementation_->With([&] { implementation_->lost_answers[name] = patches; });
}

void FakeApiServer::RefusePatches(const std::string& name, int status) {
  implementation_->With([&] {
    if (status == 0)
      implementation_->refused_patches.erase(name);
    else
      implementation_->refused_patches[name] = status;
  });
}
void FakeApiServer::SetVersion(int minor, bool changes_requests) {
  const std::string number = std::to_string(minor);
  SetAnswer("/version",
            {{"major", "1"}, {"minor", number + "+"}, {"gitVersion", "v1." + number + ".2"}});
  implementation_->With([&] { implementation_->changes_requests = changes_requests; });
}
void FakeApiServer::SetStreamsLists(bool streams) {
  implementation_->With([&] { implementation_->streams_lists = streams; });
}
void FakeApiServer::SetAway(bool away) {
  implementation_->With([&] {
    implementation_->away = away;
    if (away) implementation_->CutAll();
  });
}
FakeApiServer::Counts FakeApiServer::counts() const {
  return implementation_->Of([&] { return implementation_->counts; });
}
std::vector<Json> FakeApiServer::PatchesOf(const std::string& name) const {
  return implementation_->Of([&] {
    const auto found = implementation_->patches.find(name);
    return found == implementation_->patches.end() ? std::vector<Json>{} : found->second;
  });
}

Json JobObject(const std::string& name, std::map<std::string, std::string> annotations, int gpus) {
  Json resources{{"requests", {{"cpu", "1"}}}};
  if (gpus > 0) resources["limits"] = {{"nvidia.com/gpu", std::to_string(gpus)}};
  const Json container{{"name", "main"}, {"resources", resources}};
  annotations.emplace("ebb/wait", "true");
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"spec",
           {{"suspend", true},
            {"parallelism", 1},
            {"template", {{"spec", {{"containers", Json::array({container})}}}}}}}};
}

Json NodeObject(const std::string& name, int cores, int gpus, const std::string& gpu_model) {
  Json labels = Json::object();
  if (!gpu_model.empty()) labels["nvidia.com/gpu.product"] = gpu_model;
  return {
      {"kind", "Node"},
      {"metadata", {{"name", name}, {"labels", labels}}},
      {"status",
       {{"allocatable", {{"cpu", std::to_string(cores)}, {"nvidia.com/gpu", std::to_string(gpus)}}},
        {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

}  // namespace ebb::kubernetes
