#include "trackers/event_record.h"

#include <bit>
#include <cstring>

#include "trackers/crc32c.h"

namespace ebb::trackers {
namespace {

template <class Number>
std::string LittleEndian(Number number) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// Builds a protobuf message field by field.
class Message {
 public:
  Message& Integer(int field, std::uint64_t value) {
    Key(field, 0);
    Varint(value);
    return *this;
  }
  Message& Double(int field, double value) {
    Key(field, 1);
    bytes_ += LittleEndian(value);
    return *this;
  }
  Message& Float(int field, float value) {
    Key(field, 5);
    bytes_ += LittleEndian(value);
    return *this;
  }
  Message& Bytes(int field, std::string_view value) {
    Key(field, 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Key(int field, unsigned type) { Varint(static_cast<unsigned>(field) << 3 | type); }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

Message EventAt(Time wall) {
  return Message().Double(1, Seconds(wall.time_since_epoch()));  // wall_time
}

// An event with a summary of one value.
std::string SummaryEvent(Time wall, std::int64_t step, const Message& value) {
  return EventAt(wall)
      .Integer(2, static_cast<std::uint64_t>(step))         // step
      .Bytes(5, Message().Bytes(1, value.bytes()).bytes())  // summary { value }
      .bytes();
}

}  // namespace

std::string FramedRecord(std::string_view data) {
  const std::string length = LittleEndian(static_cast<std::uint64_t>(data.size()));
  std::string record = length + LittleEndian(MaskedCrc32c(length));
  record += data;
  return record + LittleEndian(MaskedCrc32c(data));
}

std::string FileVersionEvent(Time wall) {
  return EventAt(wall).Bytes(3, "brain.Event:2").bytes();  // file_version
}

std::string ScalarEvent(const Value& value) {
  return SummaryEvent(value.wall, value.step,
                      Message()
                          .Bytes(1, value.key)                          // tag
                          .Float(2, static_cast<float>(value.value)));  // simple_value
}

std::string TextEvent(std::string_view tag, std::string_view markdown, Time wall) {
  constexpr int kString = 7;                                    // DT_STRING
  const Message dimension = Message().Integer(1, 1);            // size
  const Message shape = Message().Bytes(2, dimension.bytes());  // dim
  const Message tensor = Message()
                             .Integer(1, kString)               // dtype
                             .Bytes(2, shape.bytes())           // tensor_shape
                             .Bytes(8, markdown);               // string_val
  const Message plugin = Message().Bytes(1, "text");            // plugin_name
  const Message metadata = Message().Bytes(1, plugin.bytes());  // plugin_data
  return SummaryEvent(wall, 0,
                      Message()
                          .Bytes(1, std::string(tag) + "/text_summary")  // tag
                          .Bytes(8, tensor.bytes())                      // tensor
                          .Bytes(9, metadata.bytes()));                  // metadata
}

}  // namespace ebb::trackers
