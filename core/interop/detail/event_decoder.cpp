#include "core/interop/detail/event_decoder.h"

#include <bit>

#include "core/interop/detail/proto_reader.h"
#include "core/store/safetensors.h"

namespace kurve::interop::detail {
namespace {

using Field = ProtoReader::Field;

/// Calls `use` for every field; false if the message is damaged or `use` refuses one.
template <class Use>
bool eachField(std::string_view message, Use use) {
    ProtoReader reader(message);
    for (Field field; reader.next(field);)
        if (!use(field)) return false;
    return !reader.damaged();
}

// Field numbers and types of tensorflow/core/framework/tensor.proto and types.proto.
enum TensorType : std::uint64_t { Float = 1, Double = 2, Int32 = 3, Int64 = 9, BFloat16 = 14, Half = 19 };
enum TensorField : std::uint32_t {
    Type = 1,
    Shape = 2,
    Content = 4,
    FloatValue = 5,
    DoubleValue = 6,
    IntValue = 7,
    Int64Value = 10,
    HalfValue = 13
};

/// The number whose bits a tensor holds, by its element type.
std::optional<double> numberOf(std::uint64_t type, std::uint64_t bits) {
    switch (type) {
        case Float:
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        case Double:
            return std::bit_cast<double>(bits);
        case Int32:
            return static_cast<std::int32_t>(bits);
        case Int64:
            return static_cast<double>(static_cast<std::int64_t>(bits));
        case BFloat16:
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
        case Half:
            return store::fromHalf(static_cast<std::uint16_t>(bits));
        default:
            return std::nullopt;
    }
}

int bytesOf(std::uint64_t type) {
    switch (type) {
        case Double:
        case Int64:
            return 8;
        case BFloat16:
        case Half:
            return 2;
        default:
            return 4;
    }
}

struct Tensor {
    std::uint64_t type = 0;
    bool oneElement = true;
    std::string_view content;
    std::optional<std::uint64_t> bits;  ///< of the first element that is given as a field

    [[nodiscard]] std::optional<double> element() const {
        if (!oneElement) return std::nullopt;
        std::string_view bytes = content;
        std::uint64_t raw = bits.value_or(0);  // a tensor of zeros may leave its value out
        if (!bytes.empty()) {
            const int size = bytesOf(type);
            if (bytes.size() != static_cast<std::size_t>(size) || !ProtoReader::takeFixed(bytes, size, raw))
                return std::nullopt;
        }
        return numberOf(type, raw);
    }
};

/// A TensorShapeProto of no dimension, or only of dimensions of size 1.
bool readShape(std::string_view message, bool& oneElement) {
    return eachField(message, [&](const Field& shape) {
        if (shape.is(3, ProtoReader::Varint) && shape.value != 0) oneElement = false;  // unknown_rank
        if (!shape.is(2, ProtoReader::Bytes)) return true;
        std::uint64_t size = 0;
        const bool sound = eachField(shape.bytes, [&](const Field& dimension) {
            if (dimension.is(1, ProtoReader::Varint)) size = dimension.value;
            return true;
        });
        if (size != 1) oneElement = false;
        return sound;
    });
}

/// A repeated number, packed or not.
bool readFirst(const Field& field, std::optional<std::uint64_t>& bits) {
    if (bits) return true;
    if (field.wire != ProtoReader::Bytes) {
        bits = field.value;
        return true;
    }
    std::string_view list = field.bytes;
    std::uint64_t value = 0;
    if (list.empty()) return true;
    const bool isVarint = field.number >= IntValue;
    const int size = field.number == DoubleValue ? 8 : 4;
    if (isVarint ? !ProtoReader::takeVarint(list, value) : !ProtoReader::takeFixed(list, size, value))
        return false;
    bits = value;
    return true;
}

bool readTensor(std::string_view message, Tensor& tensor) {
    return eachField(message, [&](const Field& field) {
        switch (field.number) {
            case Type:
                tensor.type = field.value;
                return true;
            case Shape:
                return readShape(field.bytes, tensor.oneElement);
            case Content:
                tensor.content = field.bytes;
                return true;
            case FloatValue:
            case DoubleValue:
            case IntValue:
            case Int64Value:
            case HalfValue:
                return readFirst(field, tensor.bits);
            default:
                return true;
        }
    });
}

/// SummaryMetadata.plugin_data.plugin_name.
bool readPlugin(std::string_view message, std::string_view& plugin) {
    return eachField(message, [&](const Field& data) {
        if (!data.is(1, ProtoReader::Bytes)) return true;
        return eachField(data.bytes, [&](const Field& field) {
            if (field.is(1, ProtoReader::Bytes)) plugin = field.bytes;
            return true;
        });
    });
}

bool readValue(std::string_view message, EventValue& value) {
    return eachField(message, [&](const Field& field) {
        switch (field.number) {
            case 1:
                value.tag = field.bytes;
                return true;
            case 2:
                if (field.wire != ProtoReader::Fixed32) return false;
                value.simple = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
                value.kind = "scalar";
                return true;
            case 4:
                value.kind = "image";
                return true;
            case 5:
                value.kind = "histogram";
                return true;
            case 6:
                value.kind = "audio";
                return true;
            case 8: {
                Tensor tensor;
                if (!readTensor(field.bytes, tensor)) return false;
                value.element = tensor.element();
                value.kind = "tensor";
                return true;
            }
            case 9:
                return readPlugin(field.bytes, value.plugin);
            default:
                return true;
        }
    });
}

bool readSummary(std::string_view message, std::vector<EventValue>& values) {
    return eachField(message, [&](const Field& field) {
        if (!field.is(1, ProtoReader::Bytes)) return true;
        values.emplace_back();
        return readValue(field.bytes, values.back());
    });
}

bool readSessionLog(std::string_view message, bool& start) {
    return eachField(message, [&](const Field& field) {
        if (field.is(1, ProtoReader::Varint)) start = field.value == 1;  // SessionLog.START
        return true;
    });
}

}  // namespace

std::optional<DecodedEvent> decodeEvent(std::string_view payload) {
    DecodedEvent event;
    const bool sound = eachField(payload, [&](const Field& field) {
        if (field.is(1, ProtoReader::Fixed64)) event.wall = std::bit_cast<double>(field.value);
        if (field.is(2, ProtoReader::Varint)) event.step = static_cast<std::int64_t>(field.value);
        if (field.is(5, ProtoReader::Bytes)) return readSummary(field.bytes, event.values);
        if (field.is(7, ProtoReader::Bytes)) return readSessionLog(field.bytes, event.sessionStart);
        return true;
    });
    if (!sound) return std::nullopt;
    return event;
}

}  // namespace kurve::interop::detail
