#include "meter/gpu/fake_nvml_for_test.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace {

using ebb::meter::FakeGpu;
using ebb::meter::FakeMig;
using ebb::meter::FakeNvmlState;
using ebb::meter::FakeXid;

constexpr int kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6,
              kInsufficientSize = 7, kDriverNotLoaded = 9, kTimeout = 10, kGpuIsLost = 15,
              kVersionMismatch = 18;

struct EnergyAndPower {
  long long millijoules = 0, milliwatts = 0;
};

std::string Trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

const char* StateFile() { return std::getenv("EBB_FAKE_NVML_STATE"); }

std::string LimitFile(const std::string& uuid) {
  const char* file = StateFile();
  return file ? file + ("." + uuid) : "";
}

FakeGpu GpuFrom(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(Trimmed(field));
  fields.resize(8);
  FakeGpu gpu;
  gpu.uuid = fields[0];
  gpu.name = fields[1];
  if (!fields[2].empty()) gpu.millijoules = std::atoll(fields[2].c_str());
  if (!fields[3].empty()) gpu.milliwatts = std::atoll(fields[3].c_str());
  if (!fields[5].empty()) gpu.limit_mw = std::atoll(fields[5].c_str());
  if (!fields[6].empty()) gpu.error = std::atoi(fields[6].c_str());
  std::istringstream pids(fields[7]);
  for (unsigned pid = 0; pids >> pid;) gpu.pids.push_back(pid);
  std::ifstream kept(LimitFile(gpu.uuid));
  if (long long limit_mw = 0; kept >> limit_mw) gpu.limit_mw = limit_mw;
  std::istringstream slices(fields[4]);
  for (std::string uuid; slices >> uuid;)
    gpu.mig.push_back({.uuid = uuid, .compute_slices = 1, .name = gpu.name + " MIG 1g.5gb"});
  return gpu;
}

void TakeTrouble(const std::string& line, FakeNvmlState& state) {
  std::istringstream words(line);
  std::string mark, what, uuid;
  words >> mark >> what;
  if (what == "init") words >> state.init_error;
  FakeXid xid;
  if (what == "xid" && words >> xid.uuid >> xid.code) state.xids.push_back(xid);
}

FakeNvmlState StateFromFile() {
  FakeNvmlState state;
  std::ifstream stream(StateFile() ? StateFile() : "");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("!"))
      TakeTrouble(line, state);
    else
      state.gpus.push_back(GpuFrom(line));
  }
  return state;
}

FakeNvmlState& State() {
  static FakeNvmlState state = StateFromFile();
  return state;
}

// The energy and power that a program which stands in for a load has written; nullopt: none has.
std::optional<EnergyAndPower> Load(const FakeGpu& gpu) {
  if (!StateFile()) return std::nullopt;
  std::ifstream stream(LimitFile(gpu.uuid) + ".load");
  EnergyAndPower load;
  if (stream >> load.millijoules >> load.milliwatts) return load;
  return std::nullopt;
}

// The error code that the state file, or the test, has for this GPU now.
int ErrorOf(const FakeGpu& gpu) {
  if (!StateFile()) return gpu.error;
  for (const FakeGpu& now : StateFromFile().gpus)
    if (now.uuid == gpu.uuid) return now.error;
  return kGpuIsLost;
}

std::vector<FakeXid> Xids() { return StateFile() ? StateFromFile().xids : State().xids; }

constexpr unsigned long long kXidCriticalError = 0x8;

struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

struct EventSet {
  std::vector<std::string> uuids;
  std::size_t delivered = 0;  // number of events given out, among all since the start
};

const FakeGpu& Gpu(const void* device) { return *static_cast<const FakeGpu*>(device); }
const FakeMig& Mig(const void* device) { return *static_cast<const FakeMig*>(device); }
bool IsMig(const void* device) {
  return std::none_of(State().gpus.begin(), State().gpus.end(),
                      [&](const FakeGpu& gpu) { return &gpu == device; });
}

struct Attributes {
  unsigned multiprocessors, copy_engines, decoders, encoders, jpeg_engines, ofa_engines;
  unsigned gpu_slices, compute_slices;
  unsigned long long memory_mb;
};

int CopyText(const std::string& text, char* out, unsigned length) {
  std::strncpy(out, text.c_str(), length - 1);
  return kSuccess;
}

}  // namespace

extern "C" {

FakeNvmlState* FakeNvml() { return &State(); }

int nvmlInit_v2() {
  if (State().initialised == 0 && StateFile()) State() = StateFromFile();
  if (State().init_error != 0) return State().init_error;
  if (!State().driver_loaded) return kDriverNotLoaded;
  ++State().initialised;
  return kSuccess;
}

int nvmlShutdown() {
  --State().initialised;
  return kSuccess;
}

const char* nvmlErrorString(int code) {
  return code == kVersionMismatch ? "Driver/library version mismatch" : "Driver Not Loaded";
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(State().gpus.size());
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (!State().gpus[index].answers) return kGpuIsLost;
  *device = &State().gpus[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  unsigned domain = 0, bus = 0;
  if (std::sscanf(bus_id, "%x:%x:", &domain, &bus) != 2 || bus >= State().gpus.size())
    return kNotFound;
  *device = &State().gpus[bus];
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (FakeGpu& gpu : State().gpus) {
    if (gpu.uuid == uuid) {
      *device = &gpu;
      return kSuccess;
    }
    for (FakeMig& mig : gpu.mig) {
      if (mig.uuid != uuid) continue;
      *device = &mig;
      return kSuccess;
    }
  }
  return kNotFound;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* mig, void** parent) {
  *parent = nullptr;
  for (FakeGpu& gpu : State().gpus) {
    for (const FakeMig& slice : gpu.mig) {
      if (&slice == mig) *parent = &gpu;
    }
  }
  return *parent ? kSuccess : kNotFound;
}

int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* after_reset) {
  *now = *after_reset = Gpu(device).mig_on || !Gpu(device).mig.empty() ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  *count = Gpu(device).mig.empty() ? 0 : Gpu(device).most_mig;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** mig) {
  FakeGpu& gpu = *static_cast<FakeGpu*>(device);
  if (index >= gpu.mig.size()) return kNotFound;
  *mig = &gpu.mig[index];
  return kSuccess;
}

int nvmlDeviceGetGpuInstanceId(void* mig, unsigned* id) {
  *id = Mig(mig).gpu_instance;
  return kSuccess;
}

int nvmlDeviceGetComputeInstanceId(void* mig, unsigned* id) {
  *id = Mig(mig).compute_instance;
  return kSuccess;
}

int nvmlDeviceGetAttributes_v2(void* mig, Attributes* attributes) {
  if (Mig(mig).compute_slices == 0) return kNotSupported;
  *attributes = {};
  attributes->compute_slices = Mig(mig).compute_slices;
  return kSuccess;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  return CopyText(IsMig(device) ? Mig(device).uuid : Gpu(device).uuid, text, length);
}

int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  return CopyText(IsMig(device) ? Mig(device).name : Gpu(device).name, text, length);
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (const int error = ErrorOf(Gpu(device)); error != 0) return error;
  if (Gpu(device).millijoules < 0) return kNotSupported;
  if (const auto load = Load(Gpu(device))) {
    *millijoules = static_cast<unsigned long long>(load->millijoules);
    return kSuccess;
  }
  *millijoules = static_cast<unsigned long long>(Gpu(device).millijoules);
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  if (const int error = ErrorOf(Gpu(device)); error != 0) return error;
  if (Gpu(device).milliwatts < 0) return kNotSupported;
  if (const auto load = Load(Gpu(device))) {
    *milliwatts = static_cast<unsigned>(load->milliwatts);
    return kSuccess;
  }
  *milliwatts = static_cast<unsigned>(Gpu(device).milliwatts);
  return kSuccess;
}

int nvmlDeviceGetPowerManagementLimit(void* device, unsigned* milliwatts) {
  if (Gpu(device).limit_mw < 0) return kNotSupported;
  *milliwatts = static_cast<unsigned>(Gpu(device).limit_mw);
  return kSuccess;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliwatts) {
  *milliwatts = 300'000;
  return kSuccess;
}

int nvmlDeviceGetPowerManagementLimitConstraints(void*, unsigned* least, unsigned* most) {
  *least = 100'000;
  *most = 350'000;
  return kSuccess;
}

int nvmlDeviceSetPowerManagementLimit(void* device, unsigned milliwatts) {
  FakeGpu& gpu = *static_cast<FakeGpu*>(device);
  if (!gpu.may_set_limit) return kNoPermission;
  if (const std::string file = LimitFile(gpu.uuid); !file.empty()) {
    std::ofstream kept(file);
    if (!(kept << milliwatts << "\n" << std::flush)) return kNoPermission;
  }
  gpu.limit_mw = milliwatts;
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_and_memory_percent) {
  if (const int error = ErrorOf(Gpu(device)); error != 0) return error;
  gpu_and_memory_percent[0] = static_cast<unsigned>(Gpu(device).utilisation_percent);
  gpu_and_memory_percent[1] = 0;
  return kSuccess;
}

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* infos) {
  std::vector<unsigned> pids = IsMig(device) ? Mig(device).pids : Gpu(device).pids;
  if (StateFile() && !IsMig(device))
    for (const FakeGpu& now : StateFromFile().gpus)
      if (now.uuid == Gpu(device).uuid) pids = now.pids;
  const unsigned room = *count;
  *count = static_cast<unsigned>(pids.size());
  if (pids.size() > room) return kInsufficientSize;
  for (std::size_t i = 0; i < pids.size(); ++i) infos[i] = {pids[i], 0, 0, 0};
  return kSuccess;
}

int nvmlEventSetCreate(void** set) {
  *set = new EventSet{{}, Xids().size()};
  return kSuccess;
}

int nvmlDeviceRegisterEvents(void* device, unsigned long long types, void* set) {
  if ((types & kXidCriticalError) == 0) return kNotSupported;
  static_cast<EventSet*>(set)->uuids.push_back(Gpu(device).uuid);
  return kSuccess;
}

int nvmlEventSetWait_v2(void* set, EventData* data, unsigned) {
  EventSet& events = *static_cast<EventSet*>(set);
  const std::vector<FakeXid> xids = Xids();
  while (events.delivered < xids.size()) {
    const FakeXid& xid = xids[events.delivered++];
    if (std::find(events.uuids.begin(), events.uuids.end(), xid.uuid) == events.uuids.end())
      continue;
    for (FakeGpu& gpu : State().gpus)
      if (gpu.uuid == xid.uuid)
        *data = {&gpu, kXidCriticalError, xid.code, xid.gpu_instance, xid.compute_instance};
    return kSuccess;
  }
  return kTimeout;
}

int nvmlEventSetFree(void* set) {
  delete static_cast<EventSet*>(set);
  return kSuccess;
}
}
