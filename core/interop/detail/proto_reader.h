#pragma once

#include <cstdint>
#include <string_view>

namespace kurve::interop::detail {

/// Reads the fields of one protobuf message in their order. Total: any bytes are fields, then possibly
/// damage.
class ProtoReader {
public:
    enum Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
    struct Field {
        std::uint32_t number = 0;
        std::uint8_t wire = Varint;
        std::uint64_t value = 0;  ///< of a varint or the bits of a fixed one
        std::string_view bytes;   ///< of a string, a message or a packed list

        [[nodiscard]] bool is(std::uint32_t wanted, Wire kind) const {
            return number == wanted && wire == kind;
        }
    };

    explicit ProtoReader(std::string_view message) : rest_(message) {}
    /// False at the end and at the first damage.
    bool next(Field& field);
    [[nodiscard]] bool damaged() const { return damaged_; }

    /// One element of a packed list (or of a message's fields) from the front of `bytes`; false if it is cut
    /// off or too long.
    static bool takeVarint(std::string_view& bytes, std::uint64_t& value);
    static bool takeFixed(std::string_view& bytes, int size, std::uint64_t& value);

private:
    bool takeValue(Field& field);

    std::string_view rest_;
    bool damaged_ = false;
};

}  // namespace kurve::interop::detail
