"""Reads TensorBoard event files from their specification alone: a second opinion on what Ebb writes."""
import struct


def crc32c(data):
    """Bit by bit, polynomial 0x1edc6f41 (RFC 3720)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        length, length_crc = struct.unpack_from("<QI", data, at)
        assert masked(data[at:at + 8]) == length_crc, f"length at {at}"
        record = data[at + 12:at + 12 + length]
        assert len(record) == length, f"cut short at {at}"
        (record_crc,) = struct.unpack_from("<I", data, at + 12 + length)
        assert masked(record) == record_crc, f"record at {at}"
        at += 16 + length
        yield record


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def message(data):
    """Field number -> values, by wire type."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            (value,) = struct.unpack_from("<d", data, at)
            at += 8
        elif kind == 5:
            (value,) = struct.unpack_from("<f", data, at)
            at += 4
        else:
            assert kind == 2, f"wire type {kind}"
            length, at = varint(data, at)
            value = data[at:at + length]
            assert len(value) == length
            at += length
        fields.setdefault(key >> 3, []).append(value)
    return fields


def read(path):
    """(scalars, texts): tag -> [(step, wall_time, value)]."""
    scalars, texts = {}, {}
    with open(path, "rb") as file:
        data = file.read()
    for number, record in enumerate(records(data)):
        event = message(record)
        wall_time, step = event[1][0], event.get(2, [0])[0]
        if number == 0:
            assert event[3] == [b"brain.Event:2"]
            continue
        for summary in event.get(5, []):
            for value in message(summary).get(1, []):
                fields = message(value)
                tag = fields[1][0].decode()
                if 2 in fields:
                    scalars.setdefault(tag, []).append((step, wall_time, fields[2][0]))
                else:
                    plugin = message(message(fields[9][0])[1][0])
                    assert plugin[1] == [b"text"]
                    texts[tag] = message(fields[8][0])[8][0].decode()
    return scalars, texts
