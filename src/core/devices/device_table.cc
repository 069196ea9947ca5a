#include "core/devices/device_profile.h"

namespace ebb::core {
namespace {

// Power is the limit that the driver sets as shipped. Data sheets call it "max power consumption"
// (data centre), "total board power" (workstation) or "graphics card power" (GeForce). Models that
// exist in several versions have their usual power: up to 400 W for an H100 NVL, 260 W for the
// Quadros with a fan (250 W without), and for GeForce the power of NVIDIA's own cards, not of its
// partners'.
//
// Speed is TFLOPS of tensor cores with FP16 or BF16 operands and FP32 accumulation, dense. If a
// source gives only the rate with sparsity, the table has half of it. If a source gives only the
// rate with FP16 accumulation, which GeForce does at twice the speed, the table has half of that
// again. The P100 has no tensor cores; its speed is its FP32 rate, because that is what adds up
// there. device_profile_test.cc compares with SMs x clock.
//
// Each model has the document that states its figures. docs/devices.md says which documents we
// read, and which we know from other publications. No document states idle power; the value here
// was measured on three separate systems, within 4 %.
constexpr const char* kP100 = "NVIDIA Tesla P100 data sheet";
constexpr const char* kV100 = "NVIDIA V100 data sheet";
constexpr const char* kTuring = "NVIDIA, Turing architecture in depth, 2018";
constexpr const char* kRtx8000 = "as Quadro RTX 6000; NVIDIA, Turing architecture in depth, 2018";
constexpr const char* kT4 = "NVIDIA T4 data sheet";
constexpr const char* kAmpere = "NVIDIA, Ampere architecture in depth, 2020";
constexpr const char* kA10 = "NVIDIA A10 data sheet";
constexpr const char* kA10G = "NVIDIA A10G data sheet, 2022";
constexpr const char* kA30 = "NVIDIA A30 data sheet";
constexpr const char* kA40 = "NVIDIA A40 data sheet";
constexpr const char* kA100 = "NVIDIA A100 data sheet";
constexpr const char* kGa102 = "NVIDIA GA102 architecture white paper, v2";
constexpr const char* kA4000 = "NVIDIA RTX A4000 data sheet";
constexpr const char* kA4500 = "NVIDIA RTX A4500 data sheet";
constexpr const char* kA5000 = "NVIDIA RTX A5000 data sheet";
constexpr const char* kAda = "NVIDIA Ada architecture white paper, v2.1";
constexpr const char* kL4 = "NVIDIA L4 data sheet";
constexpr const char* kL40 = "NVIDIA L40 data sheet";
constexpr const char* kL40S = "NVIDIA L40S data sheet";
constexpr const char* kH100 = "NVIDIA H100 architecture white paper, V1.04";
constexpr const char* kH100Measured =
    "NVIDIA H100 architecture white paper, V1.04; idle: arXiv:2605.23918";
constexpr const char* kH100Nvl = "NVIDIA H100 product page";
constexpr const char* kH200 = "NVIDIA H200 data sheet";
constexpr const char* kB200 = "NVIDIA DGX Cloud benchmarking, reference architectures, 2026";
constexpr const char* kBlackwell = "NVIDIA RTX Blackwell architecture white paper";
constexpr const char* kBlackwellPro = "NVIDIA RTX PRO Blackwell architecture white paper";

DeviceProfile Entry(const char* model, double max_w, double tflops, const char* source) {
  return {model, std::nullopt, Power{max_w}, tflops, source};
}

// Models as NVML writes them, without brands and words that say nothing.
const DeviceProfile kProfiles[] = {
    Entry("P100-SXM2", 300, 10.6, kAmpere),
    Entry("P100-PCIE", 250, 9.3, kP100),
    Entry("V100-SXM2", 300, 125, kAmpere),
    Entry("V100-PCIE", 250, 112, kV100),
    Entry("V100S-PCIE", 250, 130, kV100),
    Entry("T4", 70, 65, kT4),
    Entry("RTX 2080 Ti", 250, 53.8, kTuring),
    Entry("TITAN RTX", 280, 130.5, kGa102),
    Entry("Quadro RTX 6000", 260, 130.5, kTuring),
    Entry("Quadro RTX 8000", 260, 130.5, kRtx8000),
    Entry("A10", 150, 125, kA10),
    Entry("A10G", 300, 70, kA10G),
    Entry("A30", 165, 165, kA30),
    Entry("A40", 300, 149.7, kA40),
    Entry("A100-SXM4", 400, 312, kAmpere),
    Entry("A100-PCIE-40GB", 250, 312, kA100),
    Entry("A100 80GB PCIe", 300, 312, kA100),
    Entry("RTX 3070", 220, 40.6, kGa102),
    Entry("RTX 3080", 320, 59.5, kGa102),
    Entry("RTX 3080 Ti", 350, 68.2, kAda),
    Entry("RTX 3090", 350, 71, kGa102),
    Entry("RTX 3090 Ti", 450, 80, kAda),
    Entry("RTX A4000", 140, 76.7, kA4000),
    Entry("RTX A4500", 200, 94.6, kA4500),
    Entry("RTX A5000", 230, 111.1, kA5000),
    Entry("RTX A6000", 300, 154.8, kGa102),
    Entry("L4", 72, 121, kL4),
    Entry("L40", 300, 181.05, kL40),
    Entry("L40S", 350, 362.05, kL40S),
    Entry("RTX 4080", 320, 97.5, kAda),
    Entry("RTX 4080 SUPER", 320, 104.4, kAda),
    Entry("RTX 4090", 450, 165.2, kAda),
    Entry("RTX 6000 Ada Generation", 300, 364.2, kBlackwellPro),
    Entry("H100 PCIe", 350, 756, kH100),
    {"H100 HBM3", Power{72}, Power{700}, 989.4, kH100Measured},
    Entry("H100 NVL", 400, 835.5, kH100Nvl),
    Entry("H200", 700, 989.5, kH200),
    Entry("H200 NVL", 600, 835.5, kH200),
    Entry("RTX 5090", 575, 209.5, kBlackwell),
    Entry("RTX PRO 6000 Blackwell Workstation Edition", 600, 503.8, kBlackwellPro),
    Entry("RTX PRO 6000 Blackwell Max-Q Workstation Edition", 300, 438.9, kBlackwellPro),
    Entry("B200", 1000, 2250, kB200),
    Entry("B300 SXM6 AC", 1100, 2250, kB200),
};

}  // namespace

std::span<const DeviceProfile> BuiltInDeviceProfiles() { return kProfiles; }

}  // namespace ebb::core
