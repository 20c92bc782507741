#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/result.h"

namespace kurve::store {

/// Bytes of one element; 0 for an unknown name.
[[nodiscard]] std::size_t elementBytes(std::string_view dtype);

/// A tensor without torch: safetensors dtype names F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8
/// BOOL.
struct TensorView {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;  ///< row-major, little-endian, owned by the file or the caller

    [[nodiscard]] std::int64_t elements() const;
    /// The data as T; ContractError if sizeof(T) or the alignment does not fit.
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        KURVE_CHECK(sizeof(T) == elementBytes(dtype), "{} read as elements of {} bytes", dtype, sizeof(T));
        KURVE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0, "{} is not aligned",
                    dtype);
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

/// A read safetensors file, memory-mapped (never shorten one in place while it is open; our writers rename).
/// Every lie is an error value before any data is touched: header length beyond the file, bad JSON, offsets
/// outside, overlapping or with gaps, shape not matching the byte count. Errors: safetensors.truncated,
/// safetensors.header, safetensors.overlap, safetensors.shape, safetensors.dtype.
class SafetensorsFile {
public:
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& file);
    /// Parses bytes that the caller keeps alive (tests, fuzzing).
    static Result<std::shared_ptr<const SafetensorsFile>> parse(std::span<const std::byte> bytes,
                                                                const std::string& name);
    ~SafetensorsFile();

    [[nodiscard]] const std::map<std::string, TensorView>& tensors() const;
    [[nodiscard]] const TensorView* find(const std::string& name) const;
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const;

private:
    SafetensorsFile();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes atomically (temp, fsync, rename); every tensor is aligned to its element. Returns the file's
/// SHA-256. A dtype or a shape that does not fit the bytes is a ContractError. Errors: io.write.
Result<std::string> writeSafetensors(const std::filesystem::path& file,
                                     const std::map<std::string, TensorView>& tensors,
                                     const std::map<std::string, std::string>& metadata);

/// IEEE half precision, round to nearest even.
[[nodiscard]] std::uint16_t toHalf(float value);
[[nodiscard]] float fromHalf(std::uint16_t half);

}  // namespace kurve::store
