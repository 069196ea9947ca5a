// Fuzz target: takes any bytes as a safetensors file, and any text as the header of one. The reader
// refuses them with an Error, or returns tensors whose bytes lie in the file and are as many as
// their shapes say; written out again, the tensors read back as the same. Run:
// build/fuzz/bin/safetensors_fuzz -max_total_time=60
#include "train/files/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"

namespace {

using ebb::train::SafetensorsView;

constexpr std::size_t kLengthBytes = 8, kDataBytes = 64;

std::string WithHeader(const std::string& header) {
  std::string file;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    file += static_cast<char>((std::uint64_t{header.size()} >> (8 * i)) & 0xff);
  return file + header + std::string(kDataBytes, 'x');
}

void CheckInside(const SafetensorsView& view, const std::string& file) {
  for (const ebb::train::TensorBytes& tensor : view.tensors) {
    EBB_CHECK(tensor.data.empty() ||
              (tensor.data.data() >= file.data() &&
               tensor.data.data() + tensor.data.size() <= file.data() + file.size()));
    std::size_t items = 1;
    for (const std::int64_t size : tensor.shape) items *= static_cast<std::size_t>(size);
    EBB_CHECK(items == 0 ? tensor.data.empty() : tensor.data.size() % items == 0);
  }
}

void Check(const std::string& file) {
  const auto view = ebb::train::DecodeSafetensors(file, "fuzz");
  if (!view) return;
  CheckInside(*view, file);
  const std::string again = ebb::train::EncodeSafetensors(view->tensors, view->metadata);
  const auto read = ebb::train::DecodeSafetensors(again, "again");
  EBB_CHECK(read && read->tensors.size() == view->tensors.size());
  EBB_CHECK(read->metadata == view->metadata);
  EBB_CHECK(ebb::train::EncodeSafetensors(read->tensors, read->metadata) == again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Check(bytes);
  Check(WithHeader(bytes));
  return 0;
}
