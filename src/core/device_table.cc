#include "core/device_profile.h"

namespace ebb::core {
namespace {

// Power: "max power consumption" (data centre), "total board power" (workstation), "graphics card
// power" (GeForce). Speed: TFLOPS of tensor cores with FP16 or BF16 operands and FP32 accumulation,
// dense; where a source gives the rate with sparsity only, half of it. Idle power stands in none of
// these documents and is not made up here. Written down from knowledge of the documents, and not
// yet read against them (docs/devices.md says which were compared with a second publication).
constexpr const char* kV100 = "NVIDIA V100 and V100S data sheet, January 2020";
constexpr const char* kT4 = "NVIDIA T4 data sheet, March 2019";
constexpr const char* kA10 = "NVIDIA A10 data sheet, March 2021";
constexpr const char* kA30 = "NVIDIA A30 data sheet, March 2021";
constexpr const char* kA40 = "NVIDIA A40 data sheet, 2021";
constexpr const char* kA100 = "NVIDIA A100 data sheet, June 2021";
constexpr const char* kA100First = "NVIDIA A100 data sheet, May 2020";
constexpr const char* kL4 = "NVIDIA L4 data sheet, March 2023";
constexpr const char* kL40S = "NVIDIA L40S data sheet, 2023";
constexpr const char* kL40 = "NVIDIA L40 data sheet, 2023";
constexpr const char* kGa102 = "NVIDIA Ampere GA102 GPU architecture white paper, 2021";
constexpr const char* kA5000 = "NVIDIA RTX A5000 data sheet, 2021";
constexpr const char* kA6000 = "NVIDIA RTX A6000 data sheet, 2020";
constexpr const char* kAda = "NVIDIA Ada GPU architecture white paper, 2022";
constexpr const char* kH100 = "NVIDIA H100 data sheet, 2023";
constexpr const char* kH200 = "NVIDIA H200 data sheet, 2024";

DeviceProfile Entry(const char* model, double max_w, double tflops, const char* source) {
  return {model, std::nullopt, Power{max_w}, tflops, source};
}

// Models as NVML writes them, less brand and what says nothing.
const DeviceProfile kProfiles[] = {
    Entry("V100-SXM2", 300, 125, kV100),
    Entry("V100-PCIE", 250, 112, kV100),
    Entry("V100S-PCIE", 250, 130, kV100),
    Entry("T4", 70, 65, kT4),
    Entry("A10", 150, 125, kA10),
    Entry("A30", 165, 165, kA30),
    Entry("A40", 300, 149.7, kA40),
    Entry("A100-SXM4", 400, 312, kA100),
    Entry("A100-PCIE-40GB", 250, 312, kA100First),
    Entry("A100 80GB PCIe", 300, 312, kA100),
    Entry("L4", 72, 121, kL4),
    Entry("L40", 300, 181.05, kL40),
    Entry("L40S", 350, 362.05, kL40S),
    Entry("RTX 3090", 350, 71, kGa102),
    Entry("RTX 4090", 450, 165.2, kAda),
    Entry("RTX A5000", 230, 111.1, kA5000),
    Entry("RTX A6000", 300, 154.8, kA6000),
    Entry("H100 PCIe", 350, 756, kH100),
    Entry("H100 HBM3", 700, 989.4, kH100),
    Entry("H100 NVL", 400, 835, kH100),
    Entry("H200", 700, 989.4, kH200),
    Entry("H200 NVL", 600, 835, kH200),
};

}  // namespace

std::span<const DeviceProfile> BuiltInDeviceProfiles() { return kProfiles; }

}  // namespace ebb::core
