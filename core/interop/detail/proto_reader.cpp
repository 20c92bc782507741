#include "core/interop/detail/proto_reader.h"

namespace kurve::interop::detail {

bool ProtoReader::takeVarint(std::string_view& bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
        if ((byte & 0x80) != 0) continue;
        bytes.remove_prefix(i + 1);
        return true;
    }
    return false;
}

bool ProtoReader::takeFixed(std::string_view& bytes, int size, std::uint64_t& value) {
    if (bytes.size() < static_cast<std::size_t>(size)) return false;
    value = 0;
    for (int i = size - 1; i >= 0; --i)
        value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    bytes.remove_prefix(static_cast<std::size_t>(size));
    return true;
}

bool ProtoReader::takeValue(Field& field) {
    switch (field.wire) {
        case Varint:
            return takeVarint(rest_, field.value);
        case Fixed64:
            return takeFixed(rest_, 8, field.value);
        case Fixed32:
            return takeFixed(rest_, 4, field.value);
        case Bytes: {
            std::uint64_t size = 0;
            if (!takeVarint(rest_, size) || size > rest_.size()) return false;
            field.bytes = rest_.substr(0, size);
            rest_.remove_prefix(size);
            return true;
        }
        default:
            return false;
    }
}

bool ProtoReader::next(Field& field) {
    if (damaged_ || rest_.empty()) return false;
    std::uint64_t key = 0;
    damaged_ = !takeVarint(rest_, key) || key >> 3 == 0 || key >> 32 != 0;
    if (damaged_) return false;
    field = {static_cast<std::uint32_t>(key >> 3), static_cast<std::uint8_t>(key & 7), 0, {}};
    damaged_ = !takeValue(field);
    return !damaged_;
}

}  // namespace kurve::interop::detail
