#include "meter/gpu/fake_rocm_for_test.h"

#include <cstring>

namespace {

using ebb::meter::FakeRocmGpu;
using ebb::meter::FakeRocmState;

constexpr int kSuccess = 0, kNotSupported = 2;

FakeRocmState& State() {
  static FakeRocmState state;
  return state;
}

const FakeRocmGpu& Gpu(std::uint32_t index) { return State().gpus[index]; }

int Answer(const FakeRocmGpu& gpu, std::int64_t value, std::uint64_t* out) {
  if (gpu.error != 0) return gpu.error;
  if (value < 0) return kNotSupported;
  *out = static_cast<std::uint64_t>(value);
  return kSuccess;
}

}  // namespace

extern "C" {

FakeRocmState* FakeRocm() { return &State(); }

int rsmi_init(std::uint64_t) {
  if (State().init_status != 0) return State().init_status;
  ++State().initialised;
  return kSuccess;
}

int rsmi_shut_down() {
  --State().initialised;
  return kSuccess;
}

int rsmi_status_string(int, const char** text) {
  *text = "driver not loaded";
  return kSuccess;
}

int rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(State().gpus.size());
  return kSuccess;
}

int rsmi_dev_unique_id_get(std::uint32_t index, std::uint64_t* id) {
  *id = Gpu(index).unique_id;
  return *id ? kSuccess : kNotSupported;
}

int rsmi_dev_pci_id_get(std::uint32_t index, std::uint64_t* id) {
  *id = Gpu(index).pci_id;
  return kSuccess;
}

int rsmi_dev_name_get(std::uint32_t index, char* text, std::size_t length) {
  std::strncpy(text, Gpu(index).name.c_str(), length - 1);
  return kSuccess;
}

int rsmi_dev_energy_count_get(std::uint32_t index, std::uint64_t* count, float* resolution_uj,
                              std::uint64_t* time_ns) {
  *resolution_uj = Gpu(index).resolution_uj;
  *time_ns = 1;
  return Answer(Gpu(index), Gpu(index).count, count);
}

int rsmi_dev_power_ave_get(std::uint32_t index, std::uint32_t, std::uint64_t* microwatts) {
  return Answer(Gpu(index), Gpu(index).average_microwatts, microwatts);
}

int rsmi_dev_current_socket_power_get(std::uint32_t index, std::uint64_t* microwatts) {
  return Answer(Gpu(index), Gpu(index).socket_microwatts, microwatts);
}

int rsmi_dev_busy_percent_get(std::uint32_t index, std::uint32_t* percent) {
  if (Gpu(index).error != 0) return Gpu(index).error;
  *percent = Gpu(index).busy_percent;
  return kSuccess;
}
}
