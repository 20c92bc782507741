#include "core/text/detail/dataset_cache.h"

#include <cstring>

#include "core/base/file.h"
#include "core/base/hash.h"

namespace kurve::text::detail {
namespace {

constexpr std::string_view kMagic = "kurve packed 2\n";
constexpr std::size_t kHashSize = 64;

template <class T>
void append(std::string& out, const std::vector<T>& values) {
    const std::uint64_t count = values.size();
    out.append(reinterpret_cast<const char*>(&count), sizeof count);
    out.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
}

template <class T>
bool take(std::string_view& in, std::vector<T>& values) {
    std::uint64_t count = 0;
    if (in.size() < sizeof count) return false;
    std::memcpy(&count, in.data(), sizeof count);
    in.remove_prefix(sizeof count);
    if (count > in.size() / sizeof(T)) return false;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), in.data(), count * sizeof(T));
    in.remove_prefix(count * sizeof(T));
    return true;
}

}  // namespace

std::optional<PackedSplit> readPacked(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return std::nullopt;
    const auto bytes = readFile(file, kCorpusBytes);
    if (!bytes || bytes->size() < kMagic.size() + kHashSize || !bytes->starts_with(kMagic))
        return std::nullopt;
    std::string_view body(*bytes);
    const std::string_view hash = body.substr(body.size() - kHashSize);
    body.remove_suffix(kHashSize);
    if (sha256(body) != hash) return std::nullopt;
    body.remove_prefix(kMagic.size());
    PackedSplit split;
    std::vector<std::uint64_t> leftOver;
    if (!take(body, split.ids) || !take(body, split.offset) || !take(body, split.pairs) ||
        !take(body, leftOver) || leftOver.size() != 1)
        return std::nullopt;
    split.leftOver = leftOver.front();
    return split;
}

Status writePacked(const std::filesystem::path& file, const PackedSplit& split) {
    std::string bytes(kMagic);
    append(bytes, split.ids);
    append(bytes, split.offset);
    append(bytes, split.pairs);
    append(bytes, std::vector<std::uint64_t>{split.leftOver});
    bytes += sha256(bytes);
    return writeFileAtomically(file, bytes);
}

}  // namespace kurve::text::detail
