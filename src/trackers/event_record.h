#pragma once
// TensorBoard's event files, byte by byte: TFRecord framing around Event messages in protobuf's
// wire format. Pure.
//
// Sources: tensorflow/core/lib/io/record_writer.h (framing), tensorflow/core/util/event.proto,
// tensorflow/core/framework/summary.proto and tensor.proto (field numbers),
// https://protobuf.dev/programming-guides/encoding/ (wire format).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trackers/tracker.h"

namespace ebb::trackers {

/// The record: length (8 bytes, little endian), its masked CRC, the data, its masked CRC.
std::string FramedRecord(std::string_view data);

/// The first event of every file.
std::string FileVersionEvent(Time wall);
/// One scalar, which the format stores as a float.
std::string ScalarEvent(const Value& value);
/// A text in Markdown, shown on TensorBoard's page of texts.
std::string TextEvent(std::string_view tag, std::string_view markdown, Time wall);

}  // namespace ebb::trackers
