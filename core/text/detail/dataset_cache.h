#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::text::detail {

/// The costly part of a prepared split: ids, where each side begins, and the indices of its pairs in the
/// corpus.
struct PackedSplit {
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> offset;
    std::vector<std::uint32_t> pairs;
    std::uint64_t leftOver = 0;  ///< Split::leftOver
};

/// Nothing if the file is not there, damaged or of another version: the caller packs again.
std::optional<PackedSplit> readPacked(const std::filesystem::path& file);
Status writePacked(const std::filesystem::path& file, const PackedSplit& split);

}  // namespace kurve::text::detail
