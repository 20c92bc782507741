#include "core/store/safetensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/file.h"
#include "core/base/json_depth.h"

namespace kurve::store {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference implementation
constexpr const char* kRemedy = "the file is damaged or not a safetensors file; take another copy";

struct Span {
    std::uint64_t begin = 0, end = 0;
    std::string name;
};

Error damage(const char* code, std::string message, const std::string& file) {
    return workError(code, std::move(message)).in(file).fix(kRemedy);
}

/// Elements of a shape; nothing if a size is negative or the product overflows.
std::optional<std::uint64_t> countOf(const nlohmann::json& shape, std::vector<std::int64_t>& out) {
    std::uint64_t count = 1;
    bool overflow = false;
    for (const auto& size : shape) {
        if (!size.is_number_integer() || (size.is_number_unsigned() && size.get<std::uint64_t>() > INT64_MAX))
            return {};
        const auto n = size.get<std::int64_t>();
        if (n < 0) return {};
        out.push_back(n);
        overflow |= __builtin_mul_overflow(count, static_cast<std::uint64_t>(n), &count);
    }
    // A zero anywhere makes an overflowing product zero again; either way it is a lie nobody needs.
    if (overflow) return {};
    return count;
}

bool isOffset(const nlohmann::json& value) {
    return value.is_number_unsigned();
}

}  // namespace

std::size_t elementBytes(std::string_view dtype) {
    static constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
        {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
        {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};
    for (const auto& [name, size] : kSizes)
        if (name == dtype) return size;
    return 0;
}

std::int64_t TensorView::elements() const {
    std::int64_t count = 1;
    for (const auto n : shape) count *= n;
    return count;
}

struct SafetensorsFile::Impl {
    std::map<std::string, TensorView> tensors;
    std::map<std::string, std::string> metadata;
    std::vector<Span> spans;
    std::vector<std::vector<std::uint64_t>> aligned;  ///< copies of tensors that lie unaligned in the file
    void* mapping = nullptr;
    std::size_t mappedBytes = 0;

    ~Impl() {
        if (mapping) ::munmap(mapping, mappedBytes);
    }

    Status readHeader(std::string_view header, std::span<const std::byte> data, const std::string& file);
    Status addMetadata(const nlohmann::json& entries, const std::string& file);
    Status addTensor(const std::string& name, const nlohmann::json& entry, std::span<const std::byte> data,
                     const std::string& file);
    Status checkLayout(std::uint64_t dataBytes, const std::string& file);
    void align(TensorView& tensor);
};

Status SafetensorsFile::Impl::addMetadata(const nlohmann::json& entries, const std::string& file) {
    if (!entries.is_object()) return damage("safetensors.header", "__metadata__ is not an object", file);
    for (const auto& [key, value] : entries.items()) {
        if (!value.is_string())
            return Error(damage("safetensors.header", "metadata is not a text", file)).at(key);
        metadata[key] = value.get<std::string>();
    }
    return {};
}

Status SafetensorsFile::Impl::addTensor(const std::string& name, const nlohmann::json& entry,
                                        std::span<const std::byte> data, const std::string& file) {
    const auto bad = [&](const char* code, std::string message) {
        return damage(code, std::move(message), file).at(name);
    };
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets"))
        return bad("safetensors.header", "tensor without dtype, shape and data_offsets");
    const auto &dtype = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
    if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 ||
        !isOffset(offsets[0]) || !isOffset(offsets[1]))
        return bad("safetensors.header", "dtype, shape or data_offsets of the wrong type");

    TensorView tensor{dtype.get<std::string>(), {}, {}};
    const std::size_t size = elementBytes(tensor.dtype);
    if (size == 0) return bad("safetensors.dtype", "unknown dtype '" + tensor.dtype.substr(0, 32) + "'");
    const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
    if (begin > end) return bad("safetensors.overlap", "data ends before it begins");
    if (end > data.size())
        return bad("safetensors.truncated",
                   fmt::format("data ends at byte {} but the file holds {}", end, data.size()));
    const auto count = countOf(shape, tensor.shape);
    if (!count || *count > UINT64_MAX / size || *count * size != end - begin)
        return bad("safetensors.shape",
                   fmt::format("the shape does not fit {} bytes of {}", end - begin, tensor.dtype));
    tensor.bytes = data.subspan(begin, end - begin);
    align(tensor);
    spans.push_back({begin, end, name});
    tensors.emplace(name, std::move(tensor));
    return {};
}

void SafetensorsFile::Impl::align(TensorView& tensor) {
    if (reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % elementBytes(tensor.dtype) == 0) return;
    auto& copy = aligned.emplace_back((tensor.bytes.size() + 7) / 8);
    std::memcpy(copy.data(), tensor.bytes.data(), tensor.bytes.size());
    tensor.bytes = {reinterpret_cast<const std::byte*>(copy.data()), tensor.bytes.size()};
}

Status SafetensorsFile::Impl::checkLayout(std::uint64_t dataBytes, const std::string& file) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const auto& span : spans) {
        if (span.begin != at)
            return damage("safetensors.overlap",
                          span.begin < at ? "overlaps the tensor before it" : "leaves a gap", file)
                .at(span.name);
        at = span.end;
    }
    if (at != dataBytes)
        return damage("safetensors.overlap", fmt::format("{} bytes belong to no tensor", dataBytes - at),
                      file);
    spans.clear();
    return {};
}

Status SafetensorsFile::Impl::readHeader(std::string_view header, std::span<const std::byte> data,
                                         const std::string& file) {
    if (jsonDeeperThan(header, 4)) return damage("safetensors.header", "the header nests too deeply", file);
    const auto json = nlohmann::json::parse(header.begin(), header.end(), nullptr, false);
    if (!json.is_object()) return damage("safetensors.header", "the header is not a JSON object", file);
    for (const auto& [name, entry] : json.items())
        KURVE_CHECKED(name == "__metadata__" ? addMetadata(entry, file) : addTensor(name, entry, data, file));
    return checkLayout(data.size(), file);
}

SafetensorsFile::SafetensorsFile() : impl_(std::make_unique<Impl>()) {}
SafetensorsFile::~SafetensorsFile() = default;

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::parse(std::span<const std::byte> bytes,
                                                                      const std::string& name) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) return damage("safetensors.truncated", "shorter than 8 bytes", name);
    std::memcpy(&length, bytes.data(), sizeof length);
    const auto rest = bytes.subspan(sizeof length);
    if (length > rest.size())
        return damage("safetensors.truncated",
                      fmt::format("announces a header of {} bytes but holds {}", length, rest.size()), name);
    if (length > kMaxHeaderBytes)
        return damage("safetensors.header", fmt::format("header of {} bytes", length), name);
    std::shared_ptr<SafetensorsFile> file(new SafetensorsFile);
    const std::string_view header(reinterpret_cast<const char*>(rest.data()), length);
    KURVE_CHECKED(file->impl_->readHeader(header, rest.subspan(length), name));
    return std::shared_ptr<const SafetensorsFile>(std::move(file));
}

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& path) {
    KURVE_TRY(const InputFile input, InputFile::open(path));
    void* mapping = nullptr;
    const auto size = static_cast<std::size_t>(input.bytes());
    if (size > 0) mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, input.descriptor(), 0);
    if (mapping == MAP_FAILED) return workError("io.read", std::strerror(errno)).in(path.string());

    auto parsed = parse({static_cast<const std::byte*>(mapping), size}, path.string());
    if (!parsed) {
        if (mapping) ::munmap(mapping, size);
        return parsed;
    }
    (*parsed)->impl_->mapping = mapping;
    (*parsed)->impl_->mappedBytes = size;
    return parsed;
}

const std::map<std::string, TensorView>& SafetensorsFile::tensors() const {
    return impl_->tensors;
}
const std::map<std::string, std::string>& SafetensorsFile::metadata() const {
    return impl_->metadata;
}
const TensorView* SafetensorsFile::find(const std::string& name) const {
    const auto found = impl_->tensors.find(name);
    return found == impl_->tensors.end() ? nullptr : &found->second;
}

}  // namespace kurve::store
