#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/store/safetensors.h"

namespace kurve::store {

/// A safetensors file of known size whose tensors are filled piece by piece. Any reader can open it at any
/// time: what is not filled yet is zero, and takes no room where files may be sparse. One number of its
/// metadata, the counter, says how far it is filled. One thread.
class SafetensorsInPlace {
public:
    /// Replaces the file. Only dtypes and shapes are read of the tensors. Errors: io.write.
    static Result<SafetensorsInPlace> create(const std::filesystem::path& file,
                                             const std::map<std::string, TensorView>& tensors,
                                             std::map<std::string, std::string> metadata,
                                             const std::string& counter);
    SafetensorsInPlace(SafetensorsInPlace&& other) noexcept;
    SafetensorsInPlace& operator=(SafetensorsInPlace&&) = delete;
    ~SafetensorsInPlace();

    /// At `offset` bytes from the tensor's beginning; a piece outside it is a ContractError. Errors:
    /// io.write.
    Status write(const std::string& tensor, std::uint64_t offset, std::span<const std::byte> bytes);
    /// At once for readers in other processes, after what was written before. Errors: io.write.
    Status setCounter(std::uint64_t value);

private:
    SafetensorsInPlace() = default;
    Status put(std::uint64_t at, const void* bytes, std::size_t size);

    struct Place {
        std::uint64_t at = 0, bytes = 0;
    };
    int fd_ = -1;
    std::string name_;
    std::map<std::string, Place> places_;
    std::uint64_t counterAt_ = 0;
};

}  // namespace kurve::store
